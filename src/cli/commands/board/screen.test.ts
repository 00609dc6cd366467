import { expect, test } from 'vitest'
import { plain } from '../../../terminal/paint.ts'
import { columnsOf } from '../../../terminal/text.ts'
import type { Board } from './board.ts'
import { boardScreen } from './screen.ts'

const NOW = Date.parse('2026-03-01T12:00:00Z')
const HOSTILE = 'x\x1b]0;owned\x07\x1b[2J\x1b[1;1H\r\n\u202egnp.exe\u0000'

const breakage = (id: number, text: string) => ({
  id: String(id),
  owner_user_id: null,
  opened_at: '2026-03-01T11:00:00Z',
  jobs: [text],
  platforms: [],
  cause: text,
  state: 'open',
  evidence: [{ text }],
})
const build = (text: string) => ({
  ci_job_name: text,
  build_number: text,
  branch: text,
  phase: text,
  status: 'building',
  started_at: '2026-03-01T11:59:00Z',
})
const branch = (text: string) => ({ name: text, state: 'red', red_since: null, jobs: [{ name: text, state: 'red' }] })
const boardOf = (text: string, count: number) => {
  const each = [...Array(count).keys()]
  return {
    breakages: each.map((index) => breakage(index + 1, text)),
    running: each.map(() => build(text)),
    branches: each.map(() => branch(text)),
  } as unknown as Board
}
const shown = (board: Board, view: object = {}) =>
  boardScreen(board, { paint: plain, columns: 80, rows: 24, selected: 0, message: '', now: NOW, ...view })

test.each([0, 1, 50])('with %i rows of each kind, no line is wider than a narrow terminal', (count) => {
  for (const columns of [10, 20, 40, 80])
    for (const line of shown(boardOf('größe 日本語 and a long text that goes on and on', count), {
      columns,
      message: 'm'.repeat(99),
    }))
      expect([columns, line, columnsOf(line) <= columns]).toEqual([columns, line, true])
})

test('50 rows of each kind fit on a screen of 24 rows, keys included', () => {
  const lines = shown(boardOf('Game', 50))
  expect(lines.length).toBeLessThanOrEqual(24)
  expect(lines.at(-1)).toContain('q quit')
})

test('a breakage far down is visible when it is selected', () => {
  expect(shown(boardOf('Game', 50), { selected: 40 }).filter((line) => line.startsWith('> '))).toEqual([
    expect.stringContaining('> 41 '),
  ])
})

test('texts of others cannot move the cursor, clear the screen, set its title or change the reading direction', () => {
  for (const line of shown(boardOf(HOSTILE, 3), { message: HOSTILE }))
    expect(line).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u202e]/)
})
