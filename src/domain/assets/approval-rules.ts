import type { OwnReply } from '../../contract/app/routes.ts'
import type { ApprovalRule } from '../../contract/app/shapes.ts'
import { APPROVED_TYPES, ASSET_TYPES, type AssetType } from '../../contract/sets.ts'
import { type Database, sql } from '../../db/database.ts'
import { branchFits, branchKey, fits } from '../changes/branch-names.ts'
import { assetFiles, type ChangedFile } from '../changes/files.ts'
import { reduceAuthor } from '../privacy/authors.ts'

/** The rules of a project `p`; null: the usual one. Versions before rules, and their exports, have `approval_types` instead. */
export const APPROVAL_RULES = sql`coalesce(p.approval_rules, case
  when p.approval_types = '{}' then '[]'
  when p.approval_types is not null then jsonb_build_array(
    jsonb_build_object('path', '', 'asset_types', p.approval_types, 'branch', '', 'author', '')) end)`

export const EVERY_VERSION: ApprovalRule = { path: '', asset_types: [], branch: '', author: '' }

/** A rule for some types wherever they are; no types: no rule. */
export const rulesOf = (types: readonly AssetType[] | null): ApprovalRule[] | null =>
  types && (types.length === 0 ? [] : [{ ...EVERY_VERSION, asset_types: [...types] }])

/** The types that some rule asks for. */
export const typesOf = (rules: readonly ApprovalRule[] | null): AssetType[] | null =>
  rules && ASSET_TYPES.filter((type) => rules.some(({ asset_types }) => asset_types.length === 0 || asset_types.includes(type)))

/** A version of an asset as it arrives. */
export interface Arriving {
  path: string
  asset_type: AssetType
  /** In any spelling. */
  branches: readonly string[]
  /** As the tool wrote it. */
  author: string
}

/** Whether a version asks for an approval: it matches everything that one of the rules names. */
export const asks = (rules: readonly ApprovalRule[] | null, version: Arriving): boolean =>
  (rules ?? rulesOf(APPROVED_TYPES)!).some(
    ({ path, asset_types, branch, author }) =>
      (asset_types.length === 0 || asset_types.includes(version.asset_type)) &&
      (path === '' || pathFits(path, version.path)) &&
      (branch === '' || version.branches.some((name) => branchFits(branch, branchKey(name)))) &&
      // What the app shows: an address would be found out by trying.
      (author === '' || fits(author.trim().toLowerCase(), reduceAuthor(version.author).toLowerCase())),
  )

/**
 * Whether a pattern matches a path: `Content/Art/*`, `//game/.../Audio/...`, `*.psd`. A star matches any text, folders included; a pattern
 * that begins with no slash may begin at any folder. Case doesn't matter.
 */
export function pathFits(pattern: string, path: string): boolean {
  const written = plain(pattern.trim()).replaceAll('...', '*')
  const wanted = written.endsWith('/') ? `${written}*` : written
  const name = plain(path)
  return fits(wanted, name) || (!wanted.startsWith('/') && fits(`*/${wanted}`, name))
}

const plain = (path: string) => path.toLowerCase().replaceAll('\\', '/')

/** How much of a project the preview looks at, and how much of that it names. */
const PREVIEW = { days: 30, changes: 5_000, first: 5 }

interface Past {
  id: number
  display_identifier: string
  author: string
  branches: string[]
  files: ChangedFile[]
}

/** What rules would have asked for if they had been there a month ago, newest first. */
export async function preview(
  db: Database,
  projectId: number,
  rules: readonly ApprovalRule[] | null,
): Promise<OwnReply<'previewApprovalRules'>> {
  const past = await db.rows<Past>(sql`
    select c.id, c.display_identifier, c.author, c.files,
      array(select coalesce(p.told, p.branch) from change_branches p where p.change_id = c.id and p.orphaned_at is null) as branches
    from changes c
    where c.project_id = ${projectId} and c.timestamp >= now() - make_interval(days => ${PREVIEW.days})
      and c.files is not null and c.orphaned_at is null
    order by c.timestamp desc, c.id desc limit ${PREVIEW.changes + 1}`)
  const asked = past.slice(0, PREVIEW.changes).flatMap(({ files, author, branches, ...change }) =>
    assetFiles({ files })
      .filter((file) => asks(rules, { ...file, author, branches }))
      .map(({ path }) => ({ path, change })),
  )
  return {
    days: PREVIEW.days,
    changes: new Set(asked.map(({ change }) => change.id)).size,
    assets: new Set(asked.map(({ path }) => path)).size,
    first: asked.slice(0, PREVIEW.first),
    looked_at: Math.min(past.length, PREVIEW.changes),
    complete: past.length <= PREVIEW.changes,
  }
}
