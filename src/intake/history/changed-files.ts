import { type Database, sql } from '../../db/database.ts'
import type * as imports from '../../domain/integrations/imports.ts'
import { OverBudget, within } from '../../net/budget.ts'
import { type Fact, isChange } from '../facts.ts'
import { type Json, number } from '../reading.ts'
import type { Send } from './ask.ts'
import type { Asked, HistoryPart } from './history.ts'

/** How many changes are asked about before their files are stored, and after how many pages the next ones wait for the next job. */
const CHANGES_AT_ONCE = 20
const PAGES_AT_ONCE = 50
/** Of one change: GitHub lists 3,000 files on 10 pages. Of a longer list the files stay unknown. */
const FILES = { bytes: 32 * 1024 * 1024, values: 300_000, pages: 30, seconds: 300 }
const FILES_MAX = 20_000
/** Of all changes that are stored together. */
const FILES_AT_ONCE = 20_000

/** The files of the changes that the import added without. */
export async function readFiles(
  db: Database,
  { running, part }: { running: imports.Running; part: HistoryPart },
  asked: Asked,
  send: Send,
): Promise<{ facts: Fact[]; next: Json | undefined; wait: number; pages: number }> {
  const before = number(asked.cursor.before) ?? null
  const bare = await db.rows<{ id: number; identifier: string }>(sql`
    select id, identifier from changes
    where account_id = ${running.account_id} and import_id = ${running.id} and files is null and (${before}::bigint is null or id < ${before})
    order by id desc limit ${CHANGES_AT_ONCE}`)
  const facts: Fact[] = []
  let pages = 0
  for (const { id, identifier } of bare) {
    const listed: Fact[] = []
    let place: Json | undefined = { identifier }
    let wait = 0
    const listFiles = async () => {
      while (place !== undefined) {
        pages++
        const reply = await send(part.page({ ...asked, cursor: place }))
        const page = part.read(reply, { ...asked, cursor: place })
        merge(listed, page.facts)
        if (listed.some((fact) => isChange(fact) && (fact.files?.length ?? 0) > FILES_MAX)) return
        place = page.next
        wait = Math.max(wait, reply.wait)
      }
      facts.push(...listed)
    }
    await within(FILES, listFiles).catch((error: unknown) => {
      if (!(error instanceof OverBudget)) throw error
    })
    if (wait > 0 || pages >= PAGES_AT_ONCE || filesIn(facts) >= FILES_AT_ONCE) return { facts, next: { before: id }, wait, pages }
  }
  const last = bare.at(-1)
  return { facts, next: last === undefined ? undefined : { before: last.id }, wait: 0, pages }
}

const filesIn = (facts: readonly Fact[]) => facts.reduce((sum, fact) => sum + (isChange(fact) ? (fact.files?.length ?? 0) : 0), 0)

/** The files of a large change come on several pages. */
function merge(facts: Fact[], more: readonly Fact[]) {
  for (const fact of more) {
    const same = facts.find((one) => isChange(one) && isChange(fact) && one.identifier === fact.identifier)
    if (same && isChange(same) && isChange(fact)) same.files = [...(same.files ?? []), ...(fact.files ?? [])]
    else facts.push(fact)
  }
}
