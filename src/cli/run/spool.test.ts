import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { BuildService } from './service.ts'
import { Spool } from './spool.ts'

const SITE = 'https://gold.example'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'goldmaster-spool-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const open = (token = 'ours', site = SITE) => new Spool({ GOLDMASTER_SPOOL: folder }, site, token)

/** A service that accepts reports until a test switches it off, and remembers them. */
const service = (outcomeOf: (report: object) => object = () => ({ kind: 'taken' })) => {
  const reports: object[] = []
  const report = async (given: object) => {
    reports.push(given)
    return outcomeOf(given)
  }
  return { reports, service: { report } as unknown as BuildService }
}

test('a report is sent only to its own service, with its own token', async () => {
  open().add({ number: 1 })
  const { service: other, reports } = service()
  expect(await open('theirs').flush(other)).toMatchObject({ sent: 0, left: 0 })
  expect(await open('ours', 'https://silver.example').flush(other)).toMatchObject({ sent: 0, left: 0 })
  expect(reports).toEqual([])
  expect(await open().flush(other)).toMatchObject({ sent: 1, left: 0 })
  expect(readdirSync(folder)).toEqual([])
})

test('only the owner can read a report, and it does not contain the token', () => {
  open().add({ number: 1 })
  const [file] = readdirSync(folder)
  expect(statSync(join(folder, file!)).mode & 0o777).toBe(0o600)
  expect(readFileSync(join(folder, file!), 'utf8')).not.toContain('ours')
})

test('beyond 200 reports, the oldest are deleted', () => {
  mkdirSync(folder, { recursive: true })
  for (let n = 0; n < 205; n++) writeFileSync(join(folder, `${1000 + n}-old.json`), '{}')
  open().add({ number: 1 })
  const left = readdirSync(folder).sort()
  expect(left).toHaveLength(200)
  expect(left[0]).toBe('1006-old.json')
})

test('reports are sent oldest first until one has to wait; a refused one is deleted', async () => {
  for (const number of [1, 2, 3]) {
    const file = { site: SITE, token: JSON.parse(spooledBy('ours')).token, report: { number } }
    writeFileSync(join(folder, `${number}.json`), JSON.stringify(file))
  }
  const { service: away, reports } = service((report) =>
    'number' in report && report.number === 1
      ? { kind: 'never', why: 'no such job' }
      : 'number' in report && report.number === 3
        ? { kind: 'later', why: 'away' }
        : { kind: 'taken' },
  )
  expect(await open().flush(away)).toEqual({ sent: 1, refused: ['no such job'], left: 1, why: 'away' })
  expect(reports).toEqual([{ number: 1 }, { number: 2 }, { number: 3 }])
  expect(readdirSync(folder)).toEqual(['3.json'])
})

/** The text of a report that a spool with this token writes. */
function spooledBy(token: string): string {
  const before = new Set(readdirSync(folder))
  open(token).add({})
  const file = join(folder, readdirSync(folder).find((name) => !before.has(name))!)
  const text = readFileSync(file, 'utf8')
  rmSync(file)
  return text
}
