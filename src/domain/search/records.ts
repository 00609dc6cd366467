import { SUBJECT_PAGES } from '../../contract/event-facts.ts'
import { shortTitle } from '../../contract/labels/breakage-title.ts'
import { type Database, join, ofAccount, raw, type Sql, sql } from '../../db/database.ts'
import { when } from '../../db/page.ts'
import { scrub, scrubAuthor } from '../privacy/scrub.ts'
import { isOnDeletedTask } from '../tasks/deleted.ts'
import { type Folded, folded, isMatch, mayMatch, type Query } from './text.ts'

export const KINDS = ['task', 'breakage', 'build', 'change', 'asset', 'deployment', 'comment'] as const
export type SearchKind = (typeof KINDS)[number]

/** A project that the caller may search. */
export interface Project {
  id: number
  account_id: number
  name: string
  engine: string
}

/** On one server a search of all projects at once, on several account by account: each account's rows are on one of them. */
export async function byServer<T>(
  db: Database,
  projects: Project[],
  find: (db: Database, projects: Project[]) => Promise<T[]>,
): Promise<T[]> {
  if (!(await db.isDistributed())) return find(db, projects)
  const accounts = [...new Set(projects.map(({ account_id }) => account_id))]
  const found = await Promise.all(
    accounts.map((account) =>
      find(
        ofAccount(db, account),
        projects.filter(({ account_id }) => account_id === account),
      ),
    ),
  )
  return found.flat()
}

/** A record with its shown text: nothing can be found by an address or a credential. */
export interface SearchRecord {
  kind: SearchKind
  record_id: string
  account_id: number
  project_id: number
  at: string
  title: string
  detail: string
  page: string
  /** For a build or breakage, as reported. */
  branch: string
  /** Of an asset. */
  version: number | null
  foldedTitle: Folded
  /** All its searchable text. */
  folded: Folded
  /** The indexed part of it. */
  indexed: Folded
}

interface Row
  extends Pick<
    SearchRecord,
    'kind' | 'record_id' | 'account_id' | 'project_id' | 'at' | 'title' | 'detail' | 'page' | 'branch' | 'version'
  > {
  more: string
  author: string
  identifier: string
}

interface Order {
  table: string
  id: 'bigint' | 'uuid'
  at: Sql
}

/** The table of each kind, and the time by which its list is sorted. */
export const ORDERS: Record<SearchKind, Order> = {
  task: { table: 'tasks', id: 'bigint', at: sql`x.created_at` },
  breakage: { table: 'breakages', id: 'bigint', at: sql`x.opened_at` },
  build: { table: 'build_runs', id: 'bigint', at: sql`x.created_at` },
  change: { table: 'changes', id: 'bigint', at: sql`x.timestamp` },
  asset: { table: 'assets', id: 'uuid', at: sql`x.created_at` },
  deployment: { table: 'deployments', id: 'uuid', at: sql`x.created_at` },
  comment: { table: 'comments', id: 'bigint', at: sql`x.created_at` },
}

interface Source {
  /** The page of the record, or the expression for the page that shows it. */
  page: string | Sql
  title: Sql
  /** Its title as shown. */
  shown?(title: string): string
  detail: Sql
  /** More searchable text. */
  more: Sql
  author?: Sql
  identifier?: Sql
  branch?: Sql
  version?: Sql
  /** Rows that can be found. */
  where?: Sql
}

/** The maximum length of a text that is searched. */
const TEXT_MAX = 1_000
/** Read before addresses and credentials are removed, so that none is cut in half at the end. */
const READ_MAX = sql`4000`

const COMMENT_PAGE = sql`(${JSON.stringify(SUBJECT_PAGES)}::jsonb ->> x.subject)`

const sources: Record<SearchKind, Source> = {
  task: {
    page: 'tasks',
    title: sql`x.title`,
    detail: sql`'#' || x.id || ' ' || x.state`,
    more: sql`'#' || x.id`,
    where: sql`x.deleted_at is null`,
  },
  // The same as `titleOf`.
  breakage: {
    page: 'breakages',
    title: sql`coalesce(nullif(btrim(x.evidence -> 0 ->> 'text', E' \\n\\t'), ''), nullif(btrim(x.cause, E' \\n\\t'), ''),
      array_to_string(x.jobs, ', ') || ' failed')`,
    shown: shortTitle,
    detail: sql`x.state`,
    more: sql`'#' || x.id || ' ' || coalesce(x.branch, '') || ' ' || array_to_string(x.jobs, ' ') || ' ' || x.cause`,
    branch: sql`coalesce(x.branch, '')`,
  },
  build: {
    page: 'builds',
    title: sql`x.ci_job_name || ' #' || x.build_number`,
    detail: sql`x.status`,
    more: sql`x.branch`,
    branch: sql`x.branch`,
  },
  change: {
    page: 'changes',
    title: sql`split_part(left(x.description, ${READ_MAX}), E'\\n', 1)`,
    detail: sql`x.display_identifier`,
    more: sql`x.display_identifier || ' ' || x.branch || ' ' || left(x.description, ${READ_MAX})`,
    author: sql`x.author`,
    identifier: sql`x.identifier`,
  },
  asset: {
    page: 'assets',
    title: sql`x.name`,
    detail: sql`x.path`,
    more: sql`x.path`,
    version: sql`x.version`,
  },
  deployment: {
    page: 'deployments',
    title: sql`coalesce(nullif(x.store, ''), x.platform) || ' ' || x.version`,
    detail: sql`x.status`,
    more: sql`x.branch || ' ' || x.track`,
  },
  comment: {
    page: sql`${COMMENT_PAGE} || '/' || x.subject_id || '#comment-' || x.id`,
    title: sql`left(x.body, ${READ_MAX})`,
    // A mention is a number, which nobody looks for.
    shown: (body) =>
      body
        .replace(/<@\d+>/g, '@…')
        .replace(/\s+/g, ' ')
        .trim(),
    detail: sql`'comment on ' || replace(x.subject, '_run', '') || case when x.subject in ('asset', 'deployment') then '' else ' #' || x.subject_id end`,
    more: sql`''`,
    where: sql`x.deleted_at is null and not ${isOnDeletedTask(sql`x`)}`,
  },
}

export interface Name {
  kind: SearchKind
  record_id: string
}

/** The records with these ids that still exist. `mayMatch` is a quick check on the raw text. */
export async function readRecords(
  db: Database,
  names: readonly Name[],
  within: Sql,
  mayMatch: (row: Name, text: string) => boolean = () => true,
): Promise<SearchRecord[]> {
  const rows = await db.rows<Row>(
    join(
      KINDS.map((kind) => {
        const { table, id, at } = ORDERS[kind]
        const {
          page,
          title,
          detail,
          more,
          author = sql`''`,
          identifier = sql`''`,
          branch = sql`''`,
          version,
          where,
        } = sources[kind]
        const ids = [...new Set(names.filter((name) => name.kind === kind).map((name) => name.record_id))]
        return sql`
          select ${kind} as kind, x.id::text as record_id, x.account_id, x.project_id, ${at} as at, ${title} as title, ${detail} as detail,
            ${more} as more, ${author} as author, ${identifier} as identifier, ${branch} as branch, ${version ?? sql`null::integer`} as version,
            '/projects/' || x.project_id || '/' || ${typeof page === 'string' ? sql`${page} || '/' || x.id` : page} as page
          from ${raw(table)} x where x.id = any (${ids}::${raw(id)}[]) and ${within} ${when(where, (isFound) => sql`and ${isFound}`)}`
      }),
      ' union all ',
    ),
  )
  return rows.filter((row) => mayMatch(row, `${row.title} ${row.more} ${row.author} ${row.identifier}`)).map(recordOf)
}

/** The matching records, compared in full: the index only gives candidates. `isNamed`: matches whatever its text is. */
export async function matching(
  db: Database,
  names: readonly Name[],
  within: Sql,
  query: Query,
  isNamed: (name: Name) => boolean = () => false,
): Promise<SearchRecord[]> {
  const read = await readRecords(db, names, within, (name, written) => isNamed(name) || mayMatch(written, query))
  return read.filter((record) => isNamed(record) || isMatch(record.folded, query))
}

function recordOf({ more, author, identifier, ...row }: Row): SearchRecord {
  const [title, rest] = [scrub(sources[row.kind].shown?.(row.title) ?? row.title), scrub(more).slice(0, TEXT_MAX)]
  const indexed = folded(`${title.slice(0, TEXT_MAX)} ${rest} ${scrubAuthor(author)}`)
  return {
    ...row,
    title,
    detail: scrub(row.detail),
    branch: scrub(row.branch),
    foldedTitle: folded(title),
    indexed,
    folded:
      identifier === ''
        ? indexed
        : { text: `${indexed.text} ${identifier.toLowerCase()}`, words: [...indexed.words, identifier.toLowerCase()] },
  }
}
