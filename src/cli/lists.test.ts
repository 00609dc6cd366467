import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { CommandLine, HAS_TERMINAL } from '../../test/support/command-line.ts'
import { openStudio, type Studio } from '../../test/support/studio.ts'
import { loadDemo } from '../demo/load.ts'
import { columnsOf } from '../terminal/text.ts'

/** Every list of the client with the heading of the column that a row is about. */
const LISTS: readonly (readonly [command: string, main: string])[] = [
  ['projects list', 'NAME'],
  ['tasks list', 'TITLE'],
  ['builds list', 'JOB'],
  ['breakages list', 'CAUSE'],
  ['changes list', 'DESCRIPTION'],
  ['assets list', 'NAME'],
  ['approvals list', 'ASSET'],
  ['deployments list', 'VERSION'],
  ['branches', 'NAME'],
  ['members', 'ACCOUNTS'],
  ['feed', 'MESSAGE'],
]
const LEAST = 24

describe.runIf(HAS_TERMINAL)('in a terminal, the demo studio', () => {
  let studio: Studio
  let line: CommandLine
  let project: string[]
  beforeAll(async () => {
    studio = await openStudio()
    const { token, projectId } = await loadDemo(studio.db, studio.service.vault, new Date())
    line = await CommandLine.open({ GOLDMASTER_HOST: studio.site, GOLDMASTER_TOKEN: token, NO_COLOR: '1' })
    project = ['--project', String(projectId)]
  })
  afterAll(async () => {
    line?.close()
    await studio?.close()
  })
  const words = (command: string) => [...command.split(' '), ...(command === 'projects list' ? [] : project)]
  const tableOf = (out: string, main: string) => {
    const lines = out.replaceAll('\r', '').trimEnd().split('\n')
    const head = lines.findIndex((each) => /^[A-Z ]+$/.test(each) && each.includes(main))
    expect(head, out).not.toBe(-1)
    return lines.slice(head).filter((each) => !/^(?:More exist|Agents:)/.test(each))
  }

  test.each(LISTS.flatMap(([command, main]) => [80, 100].map((columns) => [command, columns, main] as const)))(
    'reads well: %s at %i columns',
    async (command, columns, main) => {
      const { code, out } = await line.terminal(words(command), { columns })
      expect(code).toBe(0)
      const [head, ...rows] = tableOf(out, main)
      expect(rows.length).toBeGreaterThan(1)
      for (const row of rows) expect(columnsOf(row), row).toBeLessThanOrEqual(columns)
      const from = head!.indexOf(main)
      const cells = rows.map((row) => [...row].slice(from).join('').split(/ {2,}/)[0]!)
      for (const cell of cells) if (cell.includes('…')) expect(columnsOf(cell), cell).toBeGreaterThanOrEqual(LEAST)
    },
  )

  test.each([
    ['assets', 'NAME'],
    ['approvals', 'ASSET'],
    ['deployments', 'VERSION'],
  ])('shows %s by the short ids of its list', async (noun, main) => {
    const [, row] = tableOf((await line.terminal([noun, 'list', ...project], { columns: 80 })).out, main)
    const short = row!.split(' ')[0]!
    expect(short).toMatch(/^[0-9a-f]{8}$/)
    const shown = await line.run([noun, 'show', short, '--pick', 'id', ...project])
    expect(shown).toMatchObject({ code: 0, out: expect.stringMatching(new RegExp(`^[0-9a-f-]{28}${short}\n$`)) })
    const wide = await line.terminal([noun, 'list', '--wide', ...project], { columns: 80 })
    expect(wide.out).toContain(shown.out.trim())
    expect(await line.run([noun, 'show', '00000000', ...project])).toMatchObject({ code: 8 })
  })

  test('names suspects by changelist, subject and author, and wraps the evidence whole', async () => {
    const [id] = (await line.run(['builds', 'list', '--status', 'failed', ...project])).out.split('\t')
    const { out } = await line.terminal(['builds', 'show', id!, ...project], { columns: 80 })
    expect(out).toMatch(/^0\.\d\d {2}CL \d+ by user:\d+: \w/m)
    expect(out).not.toContain('…')
    for (const each of out.replaceAll('\r', '').split('\n')) expect(columnsOf(each), each).toBeLessThanOrEqual(80)
    const piped = (await line.run(['builds', 'show', id!, ...project])).out
    expect(piped).toMatch(/^\d+\tCL \d+\t\d*\t[\d.]+\t\w/m)
  })
})
