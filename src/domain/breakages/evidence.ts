import { EVIDENT } from '../../contract/labels/shown-suspects.ts'
import type { FailureCategory } from '../../contract/sets.ts'
import type { Investigation } from '../../contract/shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import type { Candidate } from '../../diagnosis/finding.ts'
import { relatedChanges } from '../../diagnosis/suspects/related-changes.ts'
import { inOrder } from '../branches/positions.ts'
import { isName, revertedBy } from '../changes/reverts.ts'
import type { Occurrence } from './judge.ts'

/** As stored. */
export type Suspect = Omit<Investigation['suspects'][number], 'author' | 'display_identifier'>
export type Finding = Pick<
  Investigation,
  'category' | 'confidence' | 'diagnosis' | 'suggested_fix' | 'evidence' | 'attributed_user_id'
> & {
  suspects: Suspect[]
  build_run_id: number
  /** The positions between which its suspects were searched; null if unknown. */
  searched_above: number | null
  searched_up_to: number | null
}

export interface OnBranch extends ProjectKey {
  id: number
  branch: string | null
}

/** The finding with the highest confidence among these builds, corrected ones first; of equals the earliest. */
export const bestFinding = (db: Database, { id, account_id }: Pick<OnBranch, 'id' | 'account_id'>, builds: readonly number[]) =>
  db.one<Finding>(sql`
    select i.build_run_id, i.category, i.confidence, i.diagnosis, i.suggested_fix, i.evidence, i.suspects,
      i.attributed_user_id, i.searched_above, i.searched_up_to
    from breakage_builds m join build_runs b on b.account_id = m.account_id and b.id = m.build_run_id, lateral (
      select * from investigations i where i.account_id = m.account_id and i.build_run_id = m.build_run_id and i.status = 'completed'
        order by i.id desc limit 1) i
    where m.account_id = ${account_id} and m.breakage_id = ${id} and not m.downstream and m.build_run_id = any (${builds}::bigint[])
    order by i.correction_id is null, array_position(array['high', 'medium', 'low'], i.confidence), m.position nulls last, ${inOrder(sql`m.position`)}
    limit 1`)

/** How many changes of a range are read at most. */
const RANGE_MAX = 200

interface Change {
  id: number
  identifier: string
  description: string
  author_user_id: number | null
  files: Candidate['files'] | null
}

/** The changes of the branch above one position and up to another, oldest first. */
export const changesBetween = (db: Database, { account_id, project_id, branch }: OnBranch, above: number, upTo: number) =>
  db.rows<Change>(sql`
    select c.id, c.identifier, c.description, c.author_user_id, c.files
    from change_branches p join changes c on c.account_id = p.account_id and c.id = p.change_id
    where p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch}
      and p.position > ${above} and p.position <= ${upTo} and c.orphaned_at is null and p.orphaned_at is null and p.doubted_at is null
    order by p.position limit ${RANGE_MAX}`)

/** Who may have caused an occurrence. */
export interface Blamed {
  suspects: readonly Suspect[]
  attributed_user_id: number | null
}

export const NOBODY: Blamed = { suspects: [], attributed_user_id: null }

interface Narrowed extends Blamed {
  /** Whether the suspects were searched in another range. */
  isDue: boolean
}

type Searched = Pick<Finding, 'suspects' | 'attributed_user_id' | 'searched_above' | 'searched_up_to'>

/** Only changes inside the range can be suspects. */
export async function narrowed(
  db: Database,
  { account_id, project_id, branch }: OnBranch,
  { suspects, attributed_user_id, searched_above, searched_up_to }: Searched,
  { firstBad, lastGood, isImported }: Pick<Occurrence, 'firstBad' | 'lastGood' | 'isImported'>,
): Promise<Narrowed> {
  if (firstBad === null) return { suspects, attributed_user_id, isDue: false }
  const above = lastGood ?? 0
  if (above >= firstBad) return { ...NOBODY, isDue: false }
  const range = sql`
    p.account_id = ${account_id} and p.project_id = ${project_id} and p.branch = ${branch} and p.orphaned_at is null and p.doubted_at is null
      and p.position > ${above} and p.position <= ${firstBad}`
  // Changes of a second repository that the build names have no position on this branch.
  const found = await db.rows<{ change_id: number }>(sql`
    select s.change_id from unnest(${suspects.map(({ change_id }) => change_id)}::bigint[]) s (change_id)
    where exists (select from change_branches p where ${range} and p.change_id = s.change_id)
      or not exists (select from change_branches p where p.account_id = ${account_id} and p.change_id = s.change_id and p.branch = ${branch})`)
  const inside = suspects.filter(({ change_id }) => found.some((one) => one.change_id === change_id))
  const isDue =
    searched_up_to === null
      ? inside.length === 0 && (await db.one(sql`select from change_branches p where ${range} limit 1`)) !== undefined
      : searched_up_to !== firstBad || searched_above !== above
  const isNamed = ({ user_id, score }: Suspect) => user_id === attributed_user_id && (!isImported || score >= EVIDENT)
  return {
    suspects: (lastGood === null || isImported) && inside.length === 1 ? inside.map(withEvidence) : inside,
    attributed_user_id: inside.some(isNamed) ? attributed_user_id : null,
    isDue,
  }
}

/** The only known change is evidence if the job passed before it and failed for this cause after it; otherwise weak reasons name nobody. */
const withEvidence = (suspect: Suspect): Suspect =>
  suspect.score < EVIDENT ? { ...suspect, reasons: [], reason_codes: [] } : suspect

const candidateOf = ({ id, description, files }: Change): Candidate => ({
  id: String(id),
  author: '',
  timestamp: '',
  subject: description,
  files: files ?? [],
})

interface Shown {
  category: FailureCategory
  evidence: Investigation['evidence']
}

/** Whether a change between two positions touches the files of a failure. */
export async function isTouched(db: Database, breakage: OnBranch, shown: Shown, above: number, upTo: number): Promise<boolean> {
  const changes = await changesBetween(db, breakage, above, upTo)
  // There are more changes than are read, and one of the others may touch the files.
  return changes.length === RANGE_MAX || relatedChanges(shown, changes.map(candidateOf)).size > 0
}

interface Mending extends OnBranch {
  owner_user_id: number | null
  task_id: number | null
  suspects: readonly Suspect[]
}

/**
 * The fixing change between the last failure and the first pass: the only one; the one that reverts a suspect or names the breakage; the one
 * that touches files of the failure, with its description deciding between several. Null without such evidence.
 */
export async function fixingChange(
  db: Database,
  breakage: Mending,
  shown: Shown | undefined,
  { lastBad, firstGood, firstBad, lastGood }: Pick<Occurrence, 'lastBad' | 'firstGood' | 'firstBad' | 'lastGood'>,
): Promise<number | null> {
  if (lastBad === null || firstGood === null || firstGood <= lastBad) return null
  const range = await changesBetween(db, breakage, lastBad, firstGood)
  if (range.length <= 1) return range[0]?.id ?? null
  if (range.length === RANGE_MAX) return null
  const broke = firstBad === null ? [] : await changesBetween(db, breakage, lastGood ?? 0, firstBad)
  const blamed = new Set(breakage.suspects.map(({ change_id }) => change_id))
  const suspected = broke.filter(({ id }) => blamed.has(id)).map(({ identifier }) => identifier)
  const direct = range.filter((change) => takesBack(change, suspected) || namesIt(change, breakage))
  if (direct.length > 0) return onlyOne(direct)
  if (shown === undefined) return null
  const touches = relatedChanges(shown, range.map(candidateOf))
  const rank = ({ description, author_user_id }: Change) => {
    if (/\bfix(es|ed|ing)?\b/i.test(description)) return 0
    return author_user_id !== null && author_user_id === breakage.owner_user_id ? 1 : 2
  }
  const able = range.filter(({ id }) => touches.has(String(id)))
  const best = Math.min(...able.map(rank))
  return onlyOne(able.filter((change) => rank(change) === best))
}

/** Null if several are equally likely. */
const onlyOne = (changes: readonly Change[]) => (changes.length === 1 ? changes[0]!.id : null)

const takesBack = (change: Change, suspected: readonly string[]) => {
  const asked = revertedBy(change)
  return asked !== undefined && suspected.some((identifier) => isName(identifier, asked))
}

/** By its URL, its number, or the task created from it. */
const namesIt = ({ description }: Change, { id, task_id }: Mending) =>
  new RegExp(
    `/breakages/${id}\\b|\\bbreakage #?${id}\\b${task_id === null ? '' : `|/tasks/${task_id}\\b|\\btask #?${task_id}\\b`}`,
    'i',
  ).test(description)
