import { createHash } from 'node:crypto'
import type { ChangeFact, Fact, Repository } from '../../facts.ts'
import type { Delivery, Provider } from '../../provider.ts'
import { at, byline, files, type Json, link, mailIn, object, text, time, Unreadable, uids, word } from '../../reading.ts'
import { isAuthentic, senderSignature } from '../../signatures.ts'
import { sample } from './sample.ts'
import { setup } from './setup.ts'

const PUSHED = 'notificationBranchPushed'
const DELETED = 'notificationBranchDeleted'

/** Lore sends nothing by itself: a relay posts revisions, or the output lines of `lore --json notification subscribe`. */
export const lore: Provider = {
  name: 'lore',
  label: 'Lore',
  reports: 'Revisions of art and other large files',
  category: 'version_control',
  paths: ['lore'],
  tokenHeader: 'x-service-token',
  answers: 202,
  verify: (delivery, secrets, required) => isAuthentic(secrets, required, senderSignature(delivery, secrets)),
  deliveryKey(delivery) {
    const keys = revisions(delivery)?.map((revision) => [word(revision.repository), word(revision.revision)])
    return keys?.length ? createHash('sha256').update(JSON.stringify(keys)).digest('hex') : undefined
  },
  event: (delivery) => text(at(items(delivery)?.[0], 'tagName')) ?? 'revision',
  read(delivery) {
    const reported = revisions(delivery)
    if (reported === undefined)
      throw new Unreadable('The body must be a revision, a list of revisions, or one notification a line.')
    return [...reported.map(change), ...deletions(delivery)]
  },
  setup,
  sample,
}

/** The pushed revisions, each with its repository and branch, which may be given once for a list; other notifications are dropped. */
function revisions(delivery: Delivery): Json[] | undefined {
  const [repository, branch] = [at(delivery.body, 'repository'), at(delivery.body, 'branch')]
  return items(delivery)?.flatMap((item) => {
    const tag = text(at(item, 'tagName'))
    if (tag !== undefined && tag !== PUSHED) return []
    const reported = typeof item === 'string' ? { revision: item } : object(tag === PUSHED ? at(item, 'data') : item)
    return [{ repository: at(item, 'repository') ?? repository, branch, ...reported }]
  })
}

/** Deleted branches. */
const deletions = (delivery: Delivery): Fact[] =>
  (items(delivery) ?? []).flatMap((item): Fact[] => {
    const branch = at(item, 'tagName') === DELETED ? text(at(item, 'data', 'branch')) : undefined
    if (branch === undefined) return []
    const repository = repositoryOf(at(item, 'data', 'repository') ?? at(item, 'repository') ?? at(delivery.body, 'repository'))
    return [{ kind: 'branch_deleted', branch, repository }]
  })

function items({ body, raw }: Delivery): unknown[] | undefined {
  const found = [body, at(body, 'revisions'), at(body, 'events')].find(Array.isArray)
  if (found) return found
  return at(body, 'revision') !== undefined || at(body, 'tagName') !== undefined ? [body] : lines(raw)
}

/** One JSON object per line, whatever the content type. */
function lines(raw: Buffer): unknown[] | undefined {
  const full = raw
    .toString('utf8')
    .split('\n')
    .filter((line) => line.trim() !== '')
  try {
    const reported = full.map((line) => object(JSON.parse(line)))
    return reported.length > 0 && !reported.includes(undefined) ? reported : undefined
  } catch {
    return undefined
  }
}

function change(reported: Json): ChangeFact {
  const identifier = word(reported.revision)
  if (identifier === undefined) throw new Unreadable('Every revision must have its hash in `revision`.')
  const user = text(reported.user_id) ?? text(reported.userId)
  const mail = at(reported.author, 'email')
  const url = link(reported.url)
  return {
    kind: 'change',
    source_type: 'AssetCommit',
    identifier,
    author: byline(text(reported.author) ?? at(reported.author, 'name') ?? user, mail),
    author_uids: uids(user, at(reported.author, 'id'), mail ?? mailIn(reported.author), text(reported.author)),
    description: text(reported.message) ?? '',
    timestamp: time(reported.timestamp) ?? null,
    branch: text(reported.branch) ?? '',
    repository: repositoryOf(reported.repository),
    files: files(Array.isArray(reported.files) ? reported.files.flatMap(touched) : reported.files),
    ...(url !== undefined && { url }),
  }
}

/** Without a name it still differs from the repositories of other tools. */
function repositoryOf(told: unknown): Repository {
  const name = word(told) ?? word(at(told, 'name')) ?? word(at(told, 'id')) ?? 'lore'
  return { id: word(at(told, 'id')) ?? name, name }
}

/** `revision info --delta` also lists unchanged files; one may even be marked as modified. */
function touched(file: unknown): unknown[] {
  if (at(file, 'action') !== 'keep') return [file]
  return at(file, 'flagModify') === true ? [{ ...object(file), action: 'edit' }] : []
}
