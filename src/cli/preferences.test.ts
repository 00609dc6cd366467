import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine } from '../../test/support/callers/command-line.ts'
import { expand } from './program/aliases.ts'

let line: CommandLine
beforeAll(async () => {
  line = new CommandLine()
})
afterAll(() => line.close())

test('an alias expands to a command line, takes words and can be deleted', async () => {
  expect(await line.run(['alias', 'set', 'say', 'completion $1'])).toMatchObject({ code: 0 })
  expect((await line.run(['alias', 'list'])).out).toBe('say\tcompletion $1\n')
  expect((await line.run(['say', 'fish'])).out).toContain('complete -c goldmaster')
  expect(await line.run(['say'])).toMatchObject({ code: 2, err: expect.stringContaining('needs 1 more argument') })
  expect(await line.run(['alias', 'set', 'builds', 'tasks list'])).toMatchObject({ code: 2 })
  expect(await line.run(['alias', 'set', 'help', 'tasks list'])).toMatchObject({ code: 2 })
  expect(await line.run(['alias', 'delete', 'say'])).toMatchObject({ code: 0 })
  expect(await line.run(['alias', 'delete', 'say'])).toMatchObject({ code: 8 })
  expect(await line.run(['say', 'fish'])).toMatchObject({ code: 2, err: expect.stringContaining("unknown command 'say'") })
})

test('words of an alias are quoted as in a shell', () => {
  const aliases = { new: 'tasks create --title "a \\"b\\" $2" --label \'$1\'' }
  expect(expand(['new', 'x', 'y', '-m', 'z'], aliases)).toEqual([
    'tasks',
    'create',
    '--title',
    'a "b" y',
    '--label',
    'x',
    '-m',
    'z',
  ])
  expect(expand(['other', 'x'], aliases)).toEqual(['other', 'x'])
})

test('a setting applies to later commands, after the environment', async () => {
  expect(await line.run(['config', 'set', 'host', 'http://127.0.0.1:9'])).toMatchObject({ code: 0 })
  expect((await line.run(['config', 'list'])).out).toBe('host\thttp://127.0.0.1:9\n')
  const asked = await line.run(['whoami'], { env: { GOLDMASTER_TOKEN: 'x' } })
  expect(asked.err).toContain("Can't reach http://127.0.0.1:9")
  const named = await line.run(['whoami'], { env: { GOLDMASTER_TOKEN: 'x', GOLDMASTER_HOST: 'http://127.0.0.1:7' } })
  expect(named.err).toContain("Can't reach http://127.0.0.1:7")
  expect(await line.run(['config', 'set', 'host', 'ftp://x'])).toMatchObject({ code: 2 })
  expect(await line.run(['config', 'set', 'timeout', 'soon'])).toMatchObject({ code: 2 })
  expect(await line.run(['config', 'set', 'colour', 'red'])).toMatchObject({ code: 2 })
  expect(await line.run(['config', 'set', 'host', ''])).toMatchObject({ code: 0 })
  expect(await line.run(['config', 'get', 'host'])).toMatchObject({ code: 8 })
})
