import type { AppReply } from '../../contract/app/routes.ts'
import { DEFAULT_RULES, EVERY_VERSION } from '../../contract/routes/approval-defaults.ts'
import type { ApprovalRule } from '../../contract/routes/approval-rules.ts'
import { type AccountRole, ASSET_TYPES, type AssetType } from '../../contract/sets.ts'
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
  /** Null if no tool reported it. */
  size_bytes: number | null
  /** In any spelling; looked up only if a rule names a branch. */
  branches(): readonly string[]
}

/** Who made a change: as the tool wrote it, and the role in the account if that is a member. */
export interface Author {
  author: string
  author_role?: AccountRole | null
}

/** The rules of a project, in their order. */
export const rulesIn = (rules: readonly ApprovalRule[] | null): readonly ApprovalRule[] => rules ?? DEFAULT_RULES

/**
 * Which of the rules asks for an approval of a version in an author's change: the first one of which it matches everything; undefined if
 * none does. The author is given as the tool wrote it and compared as the app shows it: otherwise an address could be found by trial and
 * error.
 */
export function asking(rules: readonly ApprovalRule[] | null, by: Author): (version: Arriving) => number | undefined {
  const name = reduceAuthor(by.author).toLowerCase()
  const matching = rulesIn(rules).flatMap((rule, number) =>
    (rule.author === '' || matchesPattern(rule.author.trim().toLowerCase(), name)) && matchesRole(rule, by.author_role)
      ? [{ ...rule, number, hasPath: rule.path === '' ? undefined : pathFitting(rule.path) }]
      : [],
  )
  return ({ path, asset_type, size_bytes, branches }) =>
    matching.find(
      ({ asset_types, hasPath, branch, larger_than }) =>
        (asset_types.length === 0 || asset_types.includes(asset_type)) &&
        (larger_than === undefined || (size_bytes !== null && size_bytes > larger_than)) &&
        (hasPath?.(path) ?? true) &&
        (branch === '' || branches().some((one) => matchesBranch(branch, branchKey(one)))),
    )?.number
}

const matchesRole = ({ author_roles = [] }: ApprovalRule, role: AccountRole | null | undefined) =>
  author_roles.length === 0 || (role != null && author_roles.includes(role))

/** Whether any rule needs to know the role of an author. */
export const asksForRoles = (rules: readonly ApprovalRule[] | null): boolean =>
  rules?.some(({ author_roles = [] }) => author_roles.length > 0) ?? false

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
  author_role: AccountRole | null
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
      (select m.role from account_members m where m.account_id = c.account_id and m.user_id = c.author_user_id) as author_role,
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
  // A file of unknown size that would match if it were large.
  const anySize = rulesIn(rules).map(({ larger_than: _, ...rule }) => rule)
  let sizes_unknown = 0
  const asked = past.flatMap((change) => {
    const { id, display_identifier, branches, files } = change
    const [asks, asksAnySize] = [asking(rules, change), asking(anySize, change)]
    return assetFiles({ files }).flatMap((file) => {
      const version = { ...file, branches: () => branches }
      if (asks(version) !== undefined) return [{ path: file.path, change: { id, display_identifier } }]
      if (file.size_bytes === null && asksAnySize(version) !== undefined) sizes_unknown++
      return []
    })
  })
  return {
    days: PREVIEW.days,
    changes: new Set(asked.map(({ change }) => change.id)).size,
    assets: new Set(asked.map(({ path }) => path)).size,
    first: asked.slice(0, PREVIEW.first),
    looked_at: past.length,
    complete: !past.at(-1)?.more,
    sizes_unknown,
  }
}
