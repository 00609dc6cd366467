import { createHash } from 'node:crypto'

/** The ETag of a reply: the same for the same content. */
export const tagOf = (answer: unknown): string =>
  `"${createHash('sha256').update(JSON.stringify(answer)).digest('base64url').slice(0, 22)}"`

export const tagsIn = (header: string) => header.split(',').map((tag) => tag.trim())

/** Whether the client has this version already. A tag that a proxy weakened counts too. */
export const isKnown = (header: string | undefined, tag: string): boolean =>
  header !== undefined && tagsIn(header).some((known) => known === '*' || known.replace(/^W\//, '') === tag)

/** The version of an asset that a decision names in `If-Match`; 0, older than any, if it names none. */
export const seenVersion = (header: string | undefined): number | undefined =>
  header === undefined || tagsIn(header).includes('*')
    ? undefined
    : Math.max(...tagsIn(header).map((tag) => Number(/^(?:W\/)?"(\d{1,9})"$/.exec(tag)?.[1] ?? 0)))
