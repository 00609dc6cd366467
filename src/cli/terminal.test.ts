import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine } from '../../test/support/callers/command-line.ts'
import { describeWith } from '../../test/support/skippable.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { workshop } from '../../test/support/studios/workshop.ts'
import { sql } from '../db/database.ts'

let studio: Studio
let line: CommandLine
const LONG = 'Rework the whole lighting of the harbour at dusk so that the beacons can be read from every pier'

describeWith('script')('in a terminal', () => {
  beforeAll(async () => {
    const now = Date.now()
    studio = await openStudio({
      ...workshop,
      tasks: [
        {
          key: 'a',
          project: 'star',
          title: LONG,
          state: 'blocked',
          created_at: new Date(now - 7_200_000),
          updated_at: new Date(now - 7_200_000),
        },
        {
          key: 'b',
          project: 'star',
          title: '日本語のタイトルはとても長いので切られるべきです、もっともっと長く長く',
          created_at: new Date(now - 60_000),
        },
      ],
      build_runs: [{ key: 'night', project: 'star', status: 'building', ci_job_name: 'night', build_number: '7' }],
    })
    const build = studio.world.build_runs!.night!.id
    await studio.db.execute(sql`
      insert into build_steps (account_id, build_run_id, name, status, detail)
      select account_id, id, 'cooking', 'running', '30/120 cooked' from build_runs where id = ${build}`)
    const token = studio.world.tokens!.lead!.token as string
    line = new CommandLine({ GOLDMASTER_HOST: studio.site, GOLDMASTER_TOKEN: token })
  })
  afterAll(async () => {
    line?.close()
    await studio?.close()
  })
  const inStar = (...args: string[]) => [...args, '--project', String(studio.world.projects!.star!.id)]
  const seen = (out: string) => out.replaceAll(/\x1b\[\d+m/g, '').replaceAll('\r', '')

  test('tables have headings, colors, relative times, and fit', async () => {
    const { code, out } = await line.terminal(inStar('tasks', 'list'), { columns: 80 })
    expect(code).toBe(0)
    expect(out).toContain('\x1b[33mblocked')
    const [head, ...rows] = seen(out).trimEnd().split('\n')
    expect(head).toMatch(/^ID +STATE +PRIORITY +TITLE +UPDATED$/)
    expect(rows.join('\n')).toContain('2 h ago')
    expect(rows.every((row) => row.includes('…'))).toBe(true)
    // A Japanese character takes two columns.
    for (const row of [head!, ...rows])
      expect([...row].reduce((sum, c) => sum + (c >= '\u3000' ? 2 : 1), 0)).toBeLessThanOrEqual(80)
  })

  test('nothing is cut if there is space, and nothing colored if not wanted', async () => {
    const { out } = await line.terminal(inStar('tasks', 'list'), { columns: 220, env: { NO_COLOR: '1' } })
    expect(out).toContain(LONG)
    expect(out).not.toContain('\x1b[')
  })

  test('the list of commands fits a narrow terminal', async () => {
    const { code, out } = await line.terminal(['--help'], { columns: 60 })
    const rows = seen(out).trimEnd().split('\n')
    expect([code, rows.length > 40]).toEqual([0, true])
    // The sentence below the list is not wrapped.
    expect(rows.filter((row) => row.length > 60 && !row.startsWith('Exit codes'))).toEqual([])
  })

  test('one record is shown with its fields; JSON is indented', async () => {
    const task = String(studio.world.tasks!.a!.id)
    expect(seen((await line.terminal(inStar('tasks', 'show', task))).out)).toMatch(/state +blocked\n/)
    expect((await line.terminal(inStar('tasks', 'show', task, '--json', 'id'))).out).toBe(`{\r\n  "id": ${task}\r\n}\r\n`)
  })

  test('missing values are prompted for', async () => {
    const { code, out } = await line.terminal(inStar('tasks', 'create', '--pick', 'title'), { input: 'Typed by hand\n' })
    expect(out).toContain('Title: ')
    expect(seen(out).trimEnd().split('\n').at(-1)).toBe('Typed by hand')
    expect(code).toBe(0)
  })

  test('a build is redrawn in place, with its progress', async () => {
    const build = String(studio.world.build_runs!.night!.id)
    let ended = false
    const { code, out } = await line.terminal(inStar('builds', 'watch', build, '--interval', '1'), {
      watch(written) {
        if (ended || !written.includes('cooking')) return
        ended = true
        void studio.db
          .execute(sql`update build_steps set status = 'failed', detail = 'T_Rock failed' where build_run_id = ${build}`)
          .then(() => studio.db.execute(sql`update build_runs set status = 'failed' where id = ${build}`))
      },
    })
    expect(seen(out)).toContain('● cooking  █████░░░░░░░░░░░░░░░ 25 % 30/120 cooked')
    expect(out).toContain('\x1b[2A\x1b[J')
    expect(seen(out)).toContain('✗ cooking  T_Rock failed')
    expect(code).toBe(1)
  })

  test('a token is prompted for without echo', async () => {
    const token = studio.world.tokens!.artist!.token as string
    const { out } = await line.terminal(['login', '--token'], { input: `${token}\n`, env: { GOLDMASTER_TOKEN: '' } })
    expect(out).toContain(`Token for ${studio.site}: `)
    expect(out).toContain('Signed in')
  })
})
