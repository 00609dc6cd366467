import type { Assignment } from '../../contract/app/shapes.ts'
import type { FailureCategory } from '../../contract/sets.ts'
import type { Investigation } from '../../contract/shapes.ts'
import { type Database, sql } from '../../db/database.ts'
import type { RecordKey } from '../../db/project-key.ts'
import { isAttributable } from '../../diagnosis/suspects/kinds.ts'
import { namedFiles } from '../../diagnosis/suspects/named-files.ts'
import { type PathRule, readRules } from '../projects/path-owner-rules.ts'
import { membersCalled } from '../projects/path-owners.ts'
import { note } from './history.ts'

/** Why a person is assigned: they wrote the only named suspect, or they own a file that the failure names. */
type Because = { change_id: number } | { file: string; path: string }

interface Subject extends RecordKey {
  state: 'open' | 'claimed'
  category: FailureCategory
  flaky: boolean
  owner_user_id: number | null
  assigned_because: Because | null
  project_id: number
  assignment: Assignment
  path_owners: string
  evidence: Investigation['evidence']
  /** Null if several changes or none are likely. */
  suspect: { change_id: number; user_id: number | null } | null
  identifier: string | null
  /** In this occurrence, without downstream and bisecting builds. */
  failures: number
  /** A person has edited it since it opened or reopened. */
  is_touched: boolean
}

const FAILURES_NEEDED = 2

/**
 * Assigns a breakage that failed twice and has no owner, if the project wants it: to the author of the only named suspect, otherwise to the
 * owner of the file that the failure names. Takes an assignment back once its reason no longer holds, unless a person has edited the breakage.
 */
export async function assignAutomatically(db: Database, breakage: RecordKey) {
  const known = (await db.one<Subject>(sql`
    select k.account_id, k.project_id, k.id, k.state, k.category, k.flaky, k.owner_user_id, k.assigned_because, p.assignment, p.path_owners, k.evidence, named_suspect(k.suspects) as suspect,
      (select c.display_identifier from changes c where c.account_id = k.account_id and c.id = (named_suspect(k.suspects) ->> 'change_id')::bigint) as identifier,
      (select count(*) from breakage_builds m join build_runs b on b.account_id = m.account_id and b.id = m.build_run_id
        where m.account_id = k.account_id and m.breakage_id = k.id and m.occurrence = k.occurrence and not m.downstream and b.kind <> 'bisect') as failures,
      exists (select from breakage_history h where h.account_id = k.account_id and h.breakage_id = k.id and h.user_id is not null and h.kind not in ('note', 'task')
        and h.id > (select max(o.id) from breakage_history o where o.account_id = k.account_id and o.breakage_id = k.id
          and o.kind in ('opened', 'reopened') and o.user_id is null)) as is_touched
    from breakages k join projects p on p.account_id = k.account_id and p.id = k.project_id
    where k.account_id = ${breakage.account_id} and k.id = ${breakage.id}`))!
  const { assigned_because: because, owner_user_id } = known
  if (because !== null && !stillHolds(known, because)) await takeBack(db, known)
  else if (owner_user_id !== null) return
  if (known.assignment.on && !known.is_touched && known.failures >= FAILURES_NEEDED && !isNobodys(known)) await assign(db, known)
}

/** It flickers, or a machine failed. Its evidence may still name a file. */
const isNobodys = ({ flaky, category }: Subject) => flaky || !isAttributable(category)

const stillHolds = (known: Subject, because: Because) =>
  !isNobodys(known) &&
  ('file' in because
    ? namedFiles(known.evidence).includes(because.file)
    : known.suspect?.change_id === because.change_id && known.suspect.user_id === known.owner_user_id)

async function takeBack(db: Database, { account_id, id }: Subject) {
  await db.execute(sql`
    update breakages set state = 'open', owner_user_id = null, claimed_at = null, assigned_because = null, updated_at = now()
    where account_id = ${account_id} and id = ${id}`)
  await note(db, { account_id, id }, 'unassigned')
}

async function assign(db: Database, known: Subject) {
  const { account_id, id, suspect, identifier } = known
  const owner = await ownerOfFile(db, known)
  const author = suspect?.user_id ?? null
  const chosen =
    author !== null && (await mayGet(db, known, author))
      ? { user: author, because: { change_id: suspect!.change_id }, words: `their change ${identifier} is the first suspect` }
      : owner && (await mayGet(db, known, owner.user_id))
        ? {
            user: owner.user_id,
            because: { file: owner.file, path: owner.pattern },
            words: `they own ${owner.pattern}, and the failure names ${owner.file}`,
          }
        : undefined
  if (!chosen) return
  await db.execute(sql`
    update breakages set state = 'claimed', owner_user_id = ${chosen.user}, claimed_at = goldmaster_now(),
      assigned_because = ${JSON.stringify(chosen.because)}::jsonb, updated_at = now()
    where account_id = ${account_id} and id = ${id}`)
  await note(db, known, 'assigned', null, { owner_user_id: chosen.user, because: chosen.words })
}

const mayGet = async (db: Database, { account_id, id, assignment }: Subject, userId: number) =>
  !assignment.excluded_user_ids.includes(userId) &&
  (await db.one(sql`
    select from breakages k join project_access a on a.account_id = k.account_id and a.project_id = k.project_id and a.user_id = ${userId}
    where k.account_id = ${account_id} and k.id = ${id} and a.project_role <> 'viewer'`)) !== undefined

/** Undefined if the files of the failure have no owner, or several. */
async function ownerOfFile(db: Database, { evidence, path_owners, account_id, project_id }: Subject) {
  const ruleOf = readRules(path_owners)
  const found = namedFiles(evidence).flatMap((file) => {
    const rule: PathRule | undefined = ruleOf({ file })
    return rule ? [{ file, ...rule }] : []
  })
  const [first, ...others] = new Set(found.flatMap(({ owners }) => owners))
  if (first === undefined || others.length > 0) return undefined
  const user_id = (await membersCalled(db, { account_id, project_id }, [first])).get(first)
  return user_id === undefined ? undefined : { ...found.find(({ owners }) => owners.length > 0)!, user_id }
}
