import type { ChangedFile, ChangeFact } from '../../facts.ts'
import { at, bytes, type Json, link, objects, text, time, Unreadable, uids, word } from '../../reading.ts'

/** Parses the server's description of one change: the output of `p4 -Mj -ztag describe -s N`, or the same without `-Mj`. */
export function describedChange(output: string): ChangeFact {
  return changeIn(output.trimStart().startsWith('{') ? jsonRecord(output) : taggedRecord(output))
}

/** The folder of all its files, in the output of `p4 -Mj -ztag changes`. */
export const describedFolder = (output: string): string | undefined =>
  text(jsonRecord(output).path)?.replace(/\/(?:\.\.\.|\*)$/, '')

/** One record of that output. */
export function changeIn(record: Json): ChangeFact {
  const identifier = word(record.change)
  if (identifier === undefined) throw new Unreadable(text(record.data)?.trim() ?? 'The server described no change.')
  const isPending = record.status === 'pending'
  return {
    kind: 'change',
    source_type: 'Changelist',
    identifier,
    ...perforceUser(text(record.user)),
    description: text(record.desc)?.trimEnd() ?? '',
    timestamp: time(record.time) ?? null,
    branch: '',
    // The files of a shelf are only described if asked for.
    files: isPending && record.depotFile0 === undefined ? null : filesOf(record),
    ...(isPending && { pending: true as const }),
  }
}

/** The URL of a submitted change in P4 Code Review, formerly Swarm. */
export const reviewPage = (site: unknown, identifier: string): string | undefined => {
  const address = link(site)
  return address && `${address.replace(/\/+$/, '')}/changes/${identifier}`
}

/** Parses `p4 -Mj -ztag property -l -n P4.Swarm.URL`, if the server knows its review site. */
export const describedReviewSite = (output: string): string | undefined => reviewSiteIn(objects(output.split('\n').map(parsed)))

/** The same, of its records. */
export const reviewSiteIn = (records: readonly Json[]): string | undefined =>
  records
    .filter(({ name }) => name === 'P4.Swarm.URL')
    .map(({ value }) => link(value))
    .find(Boolean)

/** A name may include its Windows domain: people connect their account without it. */
export const perforceUser = (user: string | undefined): Pick<ChangeFact, 'author' | 'author_uids'> => ({
  author: user ?? '',
  author_uids: uids(user, user?.split('\\').at(-1)),
})

/** One object per line. The server's messages and errors are lines too, with `data` instead of a change. */
function jsonRecord(output: string): Json {
  const records = objects(output.split('\n').map(parsed))
  return records.find((record) => record.change !== undefined) ?? records[0] ?? {}
}

function parsed(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch {
    return undefined
  }
}

const KEY = /^\.\.\. (change|user|client|time|desc|status|changeType|path|oldChange|shelved|[A-Za-z]+\d+)(?: (.*))?$/

/** `... key value` lines. A description continues until the next line that starts like a key; the first value of a key counts. */
function taggedRecord(output: string): Json {
  const record = new Map<string, string>()
  let open: string | undefined
  for (const line of output.split(/\r?\n/)) {
    const [, key, value = ''] = KEY.exec(line) ?? []
    if (key !== undefined) {
      open = record.has(key) ? undefined : key
      if (open !== undefined) record.set(open, value)
    } else if (open === 'desc') record.set('desc', `${record.get('desc')}\n${line}`)
  }
  return Object.fromEntries(record)
}

function filesOf(record: Json): ChangedFile[] {
  const files: ChangedFile[] = []
  for (let index = 0; ; index++) {
    const path = text(at(record, `depotFile${index}`))
    if (path === undefined) return files
    const size = bytes(at(record, `fileSize${index}`))
    const action = text(at(record, `action${index}`)) ?? 'edit'
    files.push({ path, action, ...(size !== undefined && { size_bytes: size }) })
  }
}
