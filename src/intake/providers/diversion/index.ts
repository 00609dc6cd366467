import type { ChangeFact, Fact, Repository } from '../../facts.ts'
import type { Provider, Unparsed } from '../../provider.ts'
import { at, byline, files, type Json, link, mailIn, object, objects, text, time, Unreadable, uids, word } from '../../reading.ts'
import { hmac, signedBy } from '../../signatures.ts'
import { sample } from './sample.ts'
import { server } from './server-settings.ts'
import { setup } from './setup.ts'

const TOLERANCE_SECONDS = 300

/**
 * Diversion publishes neither its header names nor its payload: the headers are those of Standard Webhooks, and fields are searched under
 * every likely name.
 */
export const diversion: Provider = {
  name: 'diversion',
  label: 'Diversion',
  reports: 'Commits of a Diversion repository',
  category: 'version_control',
  paths: ['diversion'],
  tokenHeader: 'x-service-token',
  answers: 200,
  verify: (delivery, secrets) => secrets.length === 0 || signed(delivery, secrets),
  deliveryKey: ({ headers }) => text(headers['webhook-id']) ?? text(headers['svix-id']),
  event: ({ body }) => eventOf(body) ?? 'unknown',
  read({ body }) {
    const reported = object(body)
    if (reported === undefined) throw new Unreadable('The body must be a JSON object.')
    const event = eventOf(reported)
    const kind = event?.toLowerCase().replace(/\W/g, '_')
    const data = object(at(reported, 'data')) ?? object(at(reported, 'payload')) ?? reported
    if (kind === 'branch_deleted') return deleted(data)
    if (kind !== undefined && kind !== 'commit_created') return []
    const commits = objects(at(data, 'commits'))
    return commits.length > 0 ? commits.map((commit) => change(commit, data)) : [change(object(at(data, 'commit')) ?? data, data)]
  },
  server,
  givesFiles: true,
  setup,
  sample,
}

const eventOf = (body: unknown) => text(at(body, 'type')) ?? text(at(body, 'event')) ?? text(at(body, 'event_type'))

/** Any of the space-separated `v1,<base64>` signatures over `id.timestamp.body`, by any of the secrets. */
function signed({ headers, raw, received }: Unparsed, secrets: readonly string[]): boolean {
  const family = headers['webhook-signature'] !== undefined ? 'webhook' : 'svix'
  const [id, timestamp, signatures] = ['id', 'timestamp', 'signature'].map((part) => text(headers[`${family}-${part}`]))
  if (id === undefined || signatures === undefined || timestamp === undefined || !/^\d{1,12}$/.test(timestamp)) return false
  if (Math.abs(received.getTime() / 1000 - Number(timestamp)) > TOLERANCE_SECONDS) return false

  // An empty key would let anybody sign. Each key signs once, however many signatures were sent.
  const keys = secrets.map(keyOf).filter((key) => key.length > 0)
  const own = keys.map((key) => `v1,${hmac('sha256', key, `${id}.${timestamp}.`, raw).toString('base64')}`)
  return signatures.split(' ').some((given) => signedBy(own, given, (signature) => signature))
}

const keyOf = (secret: string) => Buffer.from(secret.replace(/^whsec_/, ''), 'base64')

function change(commit: Json, around: Json): ChangeFact {
  const look = (...names: string[]) => first(commit, names) ?? first(around, names)
  const identifier = ['commit_id', 'commit', 'id', 'hash'].map((name) => word(at(commit, name))).find(Boolean)
  if (identifier === undefined) throw new Unreadable('The commit must have an id.')
  const url = link(['commit_url', 'html_url', 'web_url', 'url'].map((name) => at(commit, name)).find(link))
  return {
    kind: 'change',
    source_type: 'GitCommit',
    identifier,
    ...authorOf(look),
    description: text(look('commit_message', 'message', 'description')) ?? '',
    timestamp: time(look('created_at', 'created_ts', 'timestamp')) ?? null,
    branch: nameOf(look('branch_name', 'branch', 'branch_id')) ?? '',
    repository: repositoryOf(look),
    files: files(look('files', 'changed_files')),
    ...(url !== undefined && { url }),
  }
}

/** A deleted branch; its fields may be at the top level. */
function deleted(data: Json): Fact[] {
  const branch = nameOf(first(data, ['branch_name', 'branch', 'name', 'branch_id', 'id']))
  const look = (...names: string[]) => first(data, names)
  return branch === undefined ? [] : [{ kind: 'branch_deleted', branch, repository: repositoryOf(look) }]
}

const nameOf = (told: unknown) => text(told) ?? text(at(told, 'name')) ?? text(at(told, 'id'))

/** Without a name it still differs from the repositories of other tools. */
function repositoryOf(look: (...names: string[]) => unknown): Repository {
  const repository = look('repo', 'repository', 'repo_id', 'repository_id', 'repo_name')
  const name = text(look('repo_name')) ?? nameOf(repository) ?? 'diversion'
  return { id: text(repository) ?? text(at(repository, 'id')) ?? name, name }
}

function authorOf(look: (...names: string[]) => unknown): Pick<ChangeFact, 'author' | 'author_uids'> {
  const author = look('author', 'committer', 'user')
  const name = text(author) ?? text(at(author, 'name')) ?? text(at(author, 'full_name')) ?? look('author_name')
  const mail = at(author, 'email') ?? look('author_email')
  const id = at(author, 'id') ?? at(author, 'user_id') ?? look('author_id')
  return { author: byline(name, mail), author_uids: uids(id, mail ?? mailIn(author), text(author)) }
}

const first = (from: Json, names: string[]): unknown =>
  names.map((name) => at(from, name)).find((value) => value !== undefined && value !== null && value !== '')
