import type { AppReply } from '../../contract/app/routes.ts'
import { DEFAULT_RULES, EVERY_VERSION } from '../../contract/routes/approval-defaults.ts'
import type { ApprovalRule } from '../../contract/routes/approval-rules.ts'
import { ASSET_TYPES, type AssetType } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import type { ProjectKey } from '../../db/project-key.ts'
import { branchKey, matcherOf, matchesBranch, matchesPattern } from '../branches/branch-names.ts'
import { reduceAuthor } from '../privacy/authors.ts'
import { assetFiles, type ChangedFile } from './changed-files.ts'

/** A rule for asset types at any path; no types: no rule. */
export const rulesOf = (types: readonly AssetType[] | null): ApprovalRule[] | null =>
  types && (types.length === 0 ? [] : [{ ...EVERY_VERSION, asset_types: [...types] }])

/** The types that any rule asks for. */
export const typesOf = (rules: readonly ApprovalRule[] | null): AssetType[] | null =>
  rules && ASSET_TYPES.filter((type) => rules.some(({ asset_types }) => asset_types.length === 0 || asset_types.includes(type)))

/** A new version of an asset. */
interface Arriving {
  path: string
  asset_type: AssetType
  /** In any spelling; looked up only if a rule names a branch. */
  branches(): readonly string[]
}

/**
 * Whether versions of an author's change need approval: they match everything that one of the rules names. The author is given as the tool
 * wrote it and compared as the app shows it: otherwise an address could be found by trial and error.
 */
export function asking(rules: readonly ApprovalRule[] | null, author: string): (version: Arriving) => boolean {
  const name = reduceAuthor(author).toLowerCase()
  const matching = (rules ?? DEFAULT_RULES)
    .filter((rule) => rule.author === '' || matchesPattern(rule.author.trim().toLowerCase(), name))
    .map(({ asset_types, path, branch }) => ({ asset_types, branch, hasPath: path === '' ? undefined : pathFitting(path) }))
  return ({ path, asset_type, branches }) =>
    matching.some(
      ({ asset_types, hasPath, branch }) =>
        (asset_types.length === 0 || asset_types.includes(asset_type)) &&
        (hasPath?.(path) ?? true) &&
        (branch === '' || branches().some((one) => matchesBranch(branch, branchKey(one)))),
    )
}

/**
 * Whether a pattern matches paths: `Content/Art/*`, `//game/.../Audio/...`, `*.psd`. A star matches any text, folders included; a pattern
 * without a leading slash may start at any folder. Case doesn't matter.
 */
export function pathFitting(pattern: string): (path: string) => boolean {
  const written = plain(pattern.trim()).replaceAll('...', '*')
  const wanted = written.endsWith('/') ? `${written}*` : written
  const [whole, below] = [matcherOf(wanted), matcherOf(`*/${wanted}`)]
  return (path) => {
    const name = plain(path)
    return whole(name) || (!wanted.startsWith('/') && below(name))
  }
}

const plain = (path: string) => path.toLowerCase().replaceAll('\\', '/')

/** How much of a project the preview reads, and how many matches it lists. */
const PREVIEW = { days: 30, changes: 5_000, files: 50_000, first: 5 }

interface Past {
  id: number
  display_identifier: string
  author: string
  branches: string[]
  files: ChangedFile[]
  /** Whether there are more versions before it. */
  more: boolean
}

/** The approvals that rules would have requested in the last month, newest first. */
export async function preview(
  db: Database,
  project: ProjectKey,
  rules: readonly ApprovalRule[] | null,
): Promise<AppReply<'previewApprovalRules'>> {
  // One changelist may have as many files as a thousand others.
  const past = await db.rows<Past>(sql`
    select c.id, c.display_identifier, c.author, c.files, c.more,
      array(select coalesce(p.told, p.branch) from change_branches p where p.account_id = c.account_id and p.change_id = c.id
        and p.orphaned_at is null) as branches
    from (
      select c.*, lead(true, 1, false) over newest as more, sum(jsonb_array_length(c.files)) over newest - jsonb_array_length(c.files) as files_before
      from (
        select * from changes c
        where c.account_id = ${project.account_id} and c.project_id = ${project.project_id}
          and c.timestamp >= now() - make_interval(days => ${PREVIEW.days})
          and c.files is not null and c.orphaned_at is null
        order by c.timestamp desc, c.id desc limit ${PREVIEW.changes + 1}) c
      window newest as (order by c.timestamp desc, c.id desc)) c
    where c.files_before < ${PREVIEW.files}
    order by c.timestamp desc, c.id desc limit ${PREVIEW.changes}`)
  const asked = past.flatMap(({ id, display_identifier, author, branches, files }) => {
    const asks = asking(rules, author)
    return assetFiles({ files })
      .filter((file) => asks({ ...file, branches: () => branches }))
      .map(({ path }) => ({ path, change: { id, display_identifier } }))
  })
  return {
    days: PREVIEW.days,
    changes: new Set(asked.map(({ change }) => change.id)).size,
    assets: new Set(asked.map(({ path }) => path)).size,
    first: asked.slice(0, PREVIEW.first),
    looked_at: past.length,
    complete: !past.at(-1)?.more,
  }
}
