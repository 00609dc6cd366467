import { expect, it } from 'vitest'
import { diagnose } from '../diagnose.ts'
import type { Log } from '../log.ts'
import { reasonIn } from './reason.ts'

const leadOf = (...lines: string[]) => diagnose(lines.join('\n')).evidence[0]!.line

it('a chain of announcements is replaced with the deepest line that has a reason', () => {
  const chain = [
    '* What went wrong:',
    "Execution failed for task ':app:merge'.",
    '> A failure occurred while executing com.acme.MergeTask',
    '   > java.nio.file.NoSuchFileException: /ws/out/anim.json',
    '',
    '* Try:',
    '> Run with --stacktrace option to get the stack trace.',
  ]
  expect(leadOf(...chain)).toBe(4)
})

it('the innermost cause of an exception is preferred to its wrappers', () => {
  const trace = [
    'Exception in thread "main" java.lang.RuntimeException: cannot start',
    '\tat Main.main(Main.java:3)',
    'Caused by: java.io.IOException: cannot read',
    '\tat Main.read(Main.java:9)',
    'Caused by: java.io.FileNotFoundException: maps/harbour.map (No such file or directory)',
    '\t... 3 more',
  ]
  expect(leadOf(...trace)).toBe(5)
})

it('a line marked as the cause is preferred to a louder line next to it', () => {
  const text = ['Execution failed for task', 'Caused by: the harbour is closed', 'Could not stop the engine']
  expect(reasonIn({ text } as unknown as Log, 0, [1, 2])).toBe(1)
})

it('a rule that knows the reason inside the block of another gives the category', () => {
  const raw = [
    '* What went wrong:',
    "Execution failed for task ':app:clean'.",
    "> java.io.IOException: Unable to delete directory 'out'",
  ]
  expect(diagnose(raw.join('\n')).category).toBe('workspace_lock')
  expect(leadOf(...raw)).toBe(3)
})

it('a test keeps its name and a compiler error its location', () => {
  expect(leadOf('HeroTest > hitsTwice() FAILED', '    java.lang.AssertionError: expected 2 but was 1')).toBe(1)
  expect(leadOf('src/hero.c:3:1: error: in the following:', '  cannot find hits')).toBe(1)
})
