import { type Json, text, Unreadable, word } from '../../reading.ts'
import type { Line } from './input.ts'

export interface Changeset {
  number: string
  branch: string
  repository: string
  server?: string
}

/** `cs:61@br:/main/scm001@rep:game@repserver:host:8087`. The server's name may contain an @. */
const SPEC = /^cs:(\d{1,15})(?:@br:([^@]*))?@rep:([^@]+)(?:@repserver:(.+))?$/

const SPECS_MAX = 10_000

/** The changesets of a check-in; one that crosses an Xlink creates one in each repository. Versions differ in the names of the variables. */
export function changesetsIn(body: Json, lines: readonly Line[] | null): Changeset[] {
  const told = text(body.PLASTIC_CHANGESET) ?? ''
  if (told.length > SPECS_MAX) throw new Unreadable(`PLASTIC_CHANGESET must have at most ${SPECS_MAX} characters.`)
  const found = told.split(/;(?=cs:)/).flatMap((spec): Changeset[] => {
    const [, number, branch, repository, server] = SPEC.exec(spec.trim()) ?? []
    return number === undefined ? [] : [of(number, branch ?? branchOf(body), repository!, server ?? text(body.PLASTIC_SERVER))]
  })
  if (found.length > 0) return found
  const [inLine] = lines?.filter((line) => line.of !== undefined) ?? []
  const [, numberIn, repositoryIn] = /^(\d+)@(.+)$/.exec(inLine?.of ?? '') ?? []
  const numbers = [body.PLASTIC_CHANGESET_NUMBER, body.PLASTIC_CHANGESET_ID, body.PLASTIC_CHANGESET, numberIn].map(word)
  const number = numbers.find((one) => one !== undefined && /^\d{1,15}$/.test(one))
  const repository = text(body.PLASTIC_REPOSITORY_NAME) ?? repositoryIn
  // Something else happened that has no changeset.
  if (number === undefined && told === '') return []
  if (number === undefined || repository === undefined)
    throw new Unreadable(
      'PLASTIC_CHANGESET must name a changeset and its repository, such as cs:61@br:/main@rep:game@repserver:host:8087.',
    )
  return [of(number, branchOf(body) ?? inLine?.branch, repository, text(body.PLASTIC_SERVER))]
}

const of = (number: string, branch: string | undefined, repository: string, server: string | undefined): Changeset => ({
  number: number.replace(/^0+(?=\d)/, ''),
  branch: branch ?? '',
  repository,
  ...(server !== undefined && { server }),
})

const branchOf = (body: Json) => text(body.PLASTIC_FULL_BRANCH_NAME) ?? text(body.PLASTIC_BRANCH_NAME)
