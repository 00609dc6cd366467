import { expect, it } from 'vitest'
import { diagnose } from '../diagnose.ts'

const categoryOf = (...lines: string[]) => diagnose(lines.join('\n')).category
const MAKE = ['$ make', 'The command "make" exited with 2.'] as const

it('a function named assert in a stack frame makes no test of a failed script', () => {
  const trace = ['fail: [string "libs/pack.lua"]:12: no such pack', 'stack traceback:', "\t[C]: in function 'assert'"]
  expect(categoryOf(MAKE[0], ...trace, MAKE[1])).toBe('build_script_error')
})

it('expected and actual values beside such a frame still make a test of it', () => {
  const trace = ['lua: hero.lua:12: expected 3 but got 2', 'stack traceback:', "\t[C]: in function 'error'"]
  expect(categoryOf(MAKE[0], ...trace, MAKE[1])).toBe('test_failure')
})

const thrown = (error: string) => [
  '/ws/tasks/pack.js:4',
  'async function pack() {',
  '      ^^^^^^^^',
  '',
  error,
  '    at load (vm.js:56:10)',
]

it('code that cannot be parsed does not compile, even where tests were to run', () => {
  const lines = ['$ npm test', ...thrown('SyntaxError: Unexpected token function'), 'The command "npm test" exited with 1.']
  expect(categoryOf(...lines)).toBe('compile_error')
})

it('data that cannot be parsed is no compile error', () => {
  const lines = ['$ npm test', ...thrown('SyntaxError: Unexpected token < in JSON'), 'The command "npm test" exited with 1.']
  expect(categoryOf(...lines)).not.toBe('compile_error')
})

const MISSING = '/bin/bash: pack-hero: command not found'
const confidenceAfter = (lines: number) =>
  diagnose(
    [
      '$ ./build',
      MISSING,
      ...Array.from({ length: lines }, (_, i) => `packed ${i}`),
      'The command "./build" exited with 1.',
    ].join('\n'),
  ).confidence

it('a missing command is no certain cause of a step that went on for long', () => {
  expect(confidenceAfter(3)).not.toBe('low')
  expect(confidenceAfter(150)).toBe('low')
})
