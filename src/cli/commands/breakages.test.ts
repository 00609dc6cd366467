import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine } from '../../../test/support/callers/command-line.ts'
import { testWith } from '../../../test/support/skippable.ts'
import { openStudio, type Studio } from '../../../test/support/studio.ts'
import { nightOwl } from '../../../test/support/studios/night-owl.ts'
import { sql } from '../../db/database.ts'

let studio: Studio
let line: CommandLine
beforeAll(async () => {
  studio = await openStudio(nightOwl)
  const token = studio.world.tokens!.all!.token as string
  const project = String(studio.world.projects!.star!.id)
  line = new CommandLine({ GOLDMASTER_HOST: studio.site, GOLDMASTER_TOKEN: token })
  expect((await line.run(['use', project])).code).toBe(0)
})
afterAll(async () => {
  line?.close()
  await studio?.close()
})

const id = (key: string) => String(studio.world.breakages![key]!.id)
const lead = () => studio.world.users!.lead!.id
const json = async (...args: string[]) => {
  const { code, out, err } = await line.run(['breakages', ...args, '--json'])
  expect([code, err], args.join(' ')).toEqual([0, ''])
  return JSON.parse(out)
}

test('breakages are listed by state, and one is shown with evidence, builds and history', async () => {
  const { out } = await line.run(['breakages', 'list', '--state', 'open', '--limit', '50'])
  const rows = out
    .trimEnd()
    .split('\n')
    .map((row) => row.split('\t'))
  expect(rows.map(([, state]) => state)).toEqual(rows.map(() => 'open'))
  expect(rows.map(([first]) => first)).toContain(id('breakage5'))
  const shown = (await line.run(['breakages', 'show', id('breakage5')])).out
  for (const word of ['compile_error', 'line/5', 'Evidence', 'error: it broke', 'Builds', 'night', 'History', 'opened'])
    expect(shown).toContain(word)
  expect(shown).not.toContain('@example')
})

test('a suspect is called by the author of the change, and the user of the token “you”', async () => {
  const { id: project, account_id } = (await studio.db.one<{ id: number; account_id: number }>(sql`
    select id, account_id from projects where id = ${studio.world.projects!.star!.id as number}`))!
  const carried = (await studio.db.one<{ id: number }>(sql`
    insert into changes (account_id, project_id, identifier, source_type, author, description, timestamp)
    values (${account_id}, ${project}, '9001', 'Changelist', 'robomerge', 'Port it
#ROBOMERGE-AUTHOR: nadia', now()) returning id`))!.id
  const change = (key: string) => studio.world.changes![key]!.id as number
  const suspects = [
    { change_id: change('change1'), user_id: lead() },
    { change_id: change('change2'), user_id: 4_000 },
    { change_id: carried, user_id: 4_000 },
    { change_id: carried, user_id: null },
    { change_id: 999_999, user_id: null },
  ].map((one) => ({ ...one, score: 0.9, reasons: ['changes a.c, named on line 2'], reason_codes: ['file_named'] }))
  await studio.db.execute(sql`
    update breakages set suspects = ${JSON.stringify(suspects)}::jsonb where id = ${Number(id('breakage9'))}`)
  const { out } = await line.run(['breakages', 'show', id('breakage9')])
  const authors = [...out.matchAll(/^\d+\t[^\t]*\t\d*\t([^\t]*)\t0\.9\t/gm)].map(([, author]) => author)
  expect(authors).toEqual([
    'you',
    'Lead Dev',
    'user:4000, integrated by robomerge',
    'nadia, integrated by robomerge',
    'unknown author',
  ])
})

testWith('script')('a terminal names the author of a suspect beside its change', async () => {
  expect((await line.terminal(['breakages', 'show', id('breakage9')])).out).toContain(
    'CL 9001 by nadia, integrated by robomerge: Port it',
  )
})

test('several breakages are claimed, muted, resolved and reopened at once, with a note', async () => {
  const [five, seven] = [id('breakage5'), id('breakage7')]
  const said = await line.run(['breakages', 'claim', five, seven, '--note', 'on it'])
  expect(said.out.trimEnd().split('\n')).toEqual([
    expect.stringMatching(`^${five} is claimed: https://`),
    expect.stringMatching(`^${seven} is claimed: https://`),
  ])
  expect(await json('show', seven)).toMatchObject({
    owner_user_id: lead(),
    history: expect.arrayContaining([expect.objectContaining({ kind: 'note', detail: 'on it', user_id: lead() })]),
  })
  const muted = await json('mute', five, '--for', '2d')
  const days = (Date.parse(muted.muted_until) - Date.now()) / 86_400_000
  expect([muted.state, Math.round(days)]).toEqual(['muted', 2])
  expect(await json('mute', five)).toMatchObject({ state: 'muted', muted_until: null })
  expect(await json('resolve', five)).toMatchObject({ state: 'fixed' })
  expect(await line.run(['breakages', 'claim', five])).toMatchObject({ code: 1, err: expect.stringContaining('open it first') })
  expect(await json('reopen', five)).toMatchObject({ state: 'open', reopened_count: 1 })
})

test('a task is created from a breakage once', async () => {
  const first = await json('task', id('breakage9'))
  expect(first).toMatchObject({ task_type: 'bug', links: { build_runs: [{ ci_job_name: 'night' }] } })
  expect((await json('task', id('breakage9'))).id).toBe(first.id)
})

test.each([
  [['mute', '1', '--for', 'soon'], 2, '--for must be a duration'],
  [['show', '999999'], 8, 'Breakage not found'],
  [['claim'], 2, 'breakage'],
])('%j is refused with one line', async (args, code, words) => {
  const ended = await line.run(['breakages', ...args])
  expect(ended.code).toBe(code)
  expect(ended.err).toContain(words)
  expect(ended.err.trimEnd().split('\n').length).toBeLessThan(4)
})
