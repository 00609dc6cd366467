import { execFile } from 'node:child_process'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { PROGRAM } from '../../../test/support/built.ts'

const LOG = "compiling\nSource/Hero.cpp:40:3: error: use of undeclared identifier 'Hits'\n  Hits += 1;\n  ^\n1 error generated.\n"

let folder: string
const at = (name: string) => join(folder, name)

/** The real command in a separate process. */
const run = (args: string[], input = '', environment: NodeJS.ProcessEnv = {}) =>
  new Promise<{ code: number; out: string; err: string }>((done) => {
    const child = execFile(
      process.execPath,
      [PROGRAM, 'diagnose', ...args],
      { env: { ...process.env, ...environment }, cwd: folder },
      (error, out, err) => done({ code: Number(error?.code ?? 0), out, err }),
    )
    child.stdin!.end(input)
  })

const objects = (out: string) =>
  out
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'diagnose-'))
  await writeFile(at('build.log'), LOG)
  await writeFile(at('latest'), LOG)
  await writeFile(at('build.log.gz'), gzipSync(LOG))
  await writeFile(at('wide.log'), Buffer.concat([Buffer.from([0xff, 0xfe]), Buffer.from(LOG, 'utf16le')]))
  await writeFile(at('bare.log'), Buffer.from(LOG, 'utf16le'))
  await writeFile(at('list.txt'), `${at('build.log')}\n\n${at('build.log.gz')}\n`)
  const files = [{ path: 'Source/Hero.cpp', action: 'edit' }]
  const suspects = [
    { id: 'c1', author: 'ann', timestamp: 1714557600, subject: 'Count hits', files },
    { id: 'c2', author: 'ben', timestamp: 1714557900, subject: 'New music', files: [{ path: 'Content/a.wav', action: 'add' }] },
  ]
  await writeFile(at('cases.jsonl'), `${JSON.stringify({ id: 7, log: at('build.log'), suspects })}\n`)
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('goldmaster diagnose', () => {
  it('prints what broke, where, and what to do, without colors outside a terminal', async () => {
    const { code, out } = await run([at('build.log')])
    expect(code).toBe(0)
    expect(out).toContain('The code does not compile · high confidence · compile_error')
    expect(out).toMatch(/▶ 2 │ Source\/Hero\.cpp:40:3: error/)
    expect(out).toContain('What to do')
    expect(out).not.toContain('\x1b[')
    expect(out).not.toContain('How it was found')
  })

  it('leaves out lines that passed logs have too', async () => {
    const grumble = 'tools/bake.c:7:1: error: no display 12, lighting is skipped'
    await writeFile(at('green.log'), `${grumble.replace('12', '7')}\nall is well\n`)
    const passed = await run(
      ['--json', '-', '--passed', at('build.log'), at('green.log')],
      `${grumble}\nlinking\nError: no hero\n`,
    )
    expect(objects(passed.out)[0].evidence[0].line).toBe(3)
    expect(await run([at('build.log'), '--passed', at('absent.log')])).toMatchObject({ code: 1, out: '' })
  })

  it('applies your own rules over the built-in ones', async () => {
    const [need, match] = [['undeclared identifier'], "undeclared identifier '(?<code>\\w+)'"]
    const rule = { id: 'ours.hits', tool: 'Hits', category: 'license_seat', role: 'root', need, match, score: 99 }
    await writeFile(at('rules.json'), JSON.stringify([{ ...rule, examples: [{ log: LOG, line: 2 }] }]))
    expect(objects((await run(['--json', '--rules', at('rules.json'), at('build.log')])).out)).toMatchObject([
      { category: 'license_seat', evidence: [{ line: 2 }] },
    ])
    await writeFile(at('rules.json'), JSON.stringify([rule]))
    const { code, err } = await run(['--rules', at('rules.json'), at('build.log')])
    expect({ code, err }).toEqual({ code: 1, err: expect.stringContaining('[0].examples is missing.') })
  })

  it('prints how it was found on request', async () => {
    expect((await run(['--verbose', at('build.log')])).out).toMatch(/How it was found\n {4}normalize/)
  })

  it('prints one object per log for programs, from plain, gzipped and UTF-16 files', async () => {
    const found = objects((await run(['--json', at('build.log'), at('build.log.gz'), at('wide.log'), at('bare.log')])).out)
    expect(found.map((each) => each.file)).toEqual([at('build.log'), at('build.log.gz'), at('wide.log'), at('bare.log')])
    for (const each of found) {
      expect(each).toMatchObject({ category: 'compile_error', confidence: 'high', file_path: 'Source/Hero.cpp', line: 40 })
      expect(each.evidence[0].line).toBe(2)
      expect(Object.keys(each)).toEqual([
        'file',
        'category',
        'confidence',
        'who_acts',
        'retry_may_help',
        'diagnosis',
        'suggested_fix',
        'evidence',
        'file_path',
        'line',
      ])
    }
  })

  it('takes a word after --json as a log', async () => {
    expect(objects((await run(['--json', 'latest'])).out)).toMatchObject([{ file: 'latest', line: 40 }])
  })

  it('reads the logs of a list', async () => {
    expect(objects((await run(['--json', '--list', at('list.txt')])).out)).toHaveLength(2)
  })

  it('reads standard input', async () => {
    expect(objects((await run(['--json', '-'], LOG)).out)).toMatchObject([{ file: '-', line: 40 }])
  })

  it('prints suspects for cases', async () => {
    const [found] = objects((await run(['--json', '--cases', at('cases.jsonl')])).out)
    expect(found.id).toBe(7)
    expect(found.suspects[0]).toMatchObject({ change_id: 'c1', author: 'ann' })
    expect((await run(['--cases', at('cases.jsonl')])).out).toContain('1. c1 by ann')
  })

  it('continues after an unreadable log, prints one line and exits with 1', async () => {
    const { code, out, err } = await run(['--json', at('gone.log'), at('build.log')])
    expect(code).toBe(1)
    expect(err).toBe(`goldmaster: Can't read ${at('gone.log')}: file not found\n`)
    expect(objects(out)).toHaveLength(1)
  })

  it.each([
    ['no input', []],
    ['two inputs at once', ['--list', 'a', '--cases', 'b']],
    ['an unknown option', ['--yaml', 'a']],
  ])('exits with 2 on %s', async (_, args) => {
    const { code, err } = await run(args)
    expect(code).toBe(2)
    expect(err.trim().split('\n')).toHaveLength(1)
  })

  it('shows examples in its help', async () => {
    const { code, out } = await run(['--help'])
    expect(code).toBe(0)
    expect(out).toContain('Examples:')
  })
})
