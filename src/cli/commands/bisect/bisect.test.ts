import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine } from '../../../../test/support/callers/command-line.ts'
import { openStudio, type Studio } from '../../../../test/support/studio.ts'

const line = new CommandLine()
let commits: string[]
const git = (...args: string[]) => execFileSync('git', args, { cwd: line.home, encoding: 'utf8' }).trim()
const inHome = (file: string) => join(line.home, file)

/** Sixteen commits; from the tenth on the test fails. */
beforeAll(() => {
  git('init', '-q', '-b', 'main')
  git('config', 'user.email', 'kim@example.com')
  git('config', 'user.name', 'Kim')
  commits = Array.from({ length: 16 }, (_, at) => {
    writeFileSync(inHome('value'), String(at))
    git('add', 'value')
    git('commit', '-q', '-m', `Change ${at}`)
    return git('rev-parse', 'HEAD')
  })
})
afterAll(() => line.close())

const bisect = (script: string, ...flags: string[]) => line.run(['bisect', ...flags, '--', 'sh', '-c', script])
const FAILS = 'test "$(cat value)" -lt 9'

test('the first bad commit is printed alone, the output of the command is not mixed into it, and the branch is restored', async () => {
  const { code, out, err } = await bisect(`echo building; ${FAILS}`, '--good', commits[0]!, '--flaky', '0')
  expect([code, out]).toEqual([0, `${commits[9]}\n`])
  expect(err).toContain('building')
  // Fifteen changes in four builds.
  expect(err.match(/^Build \d+: \w+ is /gm)).toHaveLength(4)
  expect(git('symbolic-ref', '--short', 'HEAD')).toBe('main')
})

test('a failure that does not repeat blames nobody', async () => {
  rmSync(inHome('flickered'), { force: true })
  const once = `test -e flickered || { touch flickered; exit 1; }; ${FAILS}`
  const { code, out } = await bisect(once, '--good', commits[0]!)
  expect(existsSync(inHome('flickered'))).toBe(true)
  expect([code, out]).toEqual([0, `${commits[9]}\n`])
})

test('commits that cannot be built are skipped, and named if nothing else tells them apart', async () => {
  const skips = (which: string) => `case "$(cat value)" in ${which}) exit 125;; esac; ${FAILS}`
  expect(await bisect(skips('7|8'), '--good', commits[0]!, '--flaky', '0')).toMatchObject({
    code: 1,
    err: expect.stringContaining(`the cause is one of ${commits[7]}, ${commits[8]}, ${commits[9]}.`),
  })
  expect((await bisect(skips('3|12'), '--good', commits[0]!, '--flaky', '0')).out).toBe(`${commits[9]}\n`)
})

test('a list of changelists is searched without git, and the command finds each in its environment', async () => {
  writeFileSync(inHome('changelists'), Array.from({ length: 40 }, (_, at) => 1200 + at).join('\n'))
  const { code, out } = await bisect('test "$GOLDMASTER_CHANGE" -lt 1231', '--changes', 'changelists')
  expect([code, out]).toEqual([0, '1231\n'])
})

test('no change is named if the last one passes', async () => {
  expect(await bisect('true', '--good', commits[0]!)).toMatchObject({
    code: 1,
    out: '',
    err: expect.stringContaining('No change is the cause'),
  })
})

test.each([
  ['a missing command', ['bisect', '--good', 'HEAD~3'], 2, 'Missing command'],
  ['a missing range', ['bisect', '--', 'true'], 2, 'Missing range'],
  ['a commit that is no ancestor', ['bisect', '--good', 'HEAD', '--bad', 'HEAD~3', '--', 'true'], 1, 'is not an ancestor'],
  ['an unknown program', ['bisect', '--good', 'HEAD~3', '--', 'no-such-program'], 1, "Can't run no-such-program"],
  ['an impossible share of flaky failures', ['bisect', '--good', 'HEAD~3', '--flaky', '80', '--', 'true'], 2, 'from 0 to 49'],
] as const)('%s is refused', async (_, args, code, message) => {
  expect(await line.run(args)).toMatchObject({ code, out: '', err: expect.stringContaining(message) })
})

test('uncommitted changes are not overwritten', async () => {
  writeFileSync(inHome('value'), 'edited')
  expect(await bisect('true', '--good', commits[0]!)).toMatchObject({
    code: 1,
    err: expect.stringContaining('uncommitted changes'),
  })
  expect(readFileSync(inHome('value'), 'utf8')).toBe('edited')
  git('checkout', '-q', 'value')
})

test('a breakage gives the range, and the scores of its suspects save builds', async () => {
  const studio: Studio = await openStudio({
    accounts: [{ key: 'owl', name: 'Night Owl' }],
    users: [{ key: 'kim', email: 'kim@example.com', name: 'Kim', accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
    tokens: [{ key: 'all', user: 'kim', name: 'all', scopes: ['read:builds', 'read:changes'] }],
    changes: commits.map((identifier, at) => ({
      key: `c${at}`,
      project: 'star',
      identifier,
      source_type: 'GitCommit',
      author: 'kim',
      description: `Change ${at}`,
      branches: ['main'],
    })),
    breakages: [
      {
        key: 'broken',
        project: 'star',
        branch: 'main',
        jobs: ['night'],
        builds: [],
        opened_at: '2026-06-01T10:00:00Z',
        last_good_change: 'c0',
        first_bad_change: 'c15',
        suspects: [{ change: 'c9', score: 0.9, reasons: ['changes value'] }],
      },
    ],
  })
  try {
    const env = { GOLDMASTER_HOST: studio.site, GOLDMASTER_TOKEN: studio.world.tokens!.all!.token as string }
    const named = ['--project', String(studio.world.projects!.star!.id), '--breakage', String(studio.world.breakages!.broken!.id)]
    const { code, out, err } = await line.run(['bisect', '--flaky', '0', ...named, '--', 'sh', '-c', FAILS], { env })
    expect([code, out]).toEqual([0, `${commits[9]}\n`])
    expect(err.match(/^Build \d+: \w+ is /gm)).toHaveLength(2)
  } finally {
    await studio.close()
  }
})
