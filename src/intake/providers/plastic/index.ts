import type { ChangeFact } from '../../facts.ts'
import type { Provider } from '../../provider.ts'
import { at, type Json, object, text, Unreadable, uids } from '../../reading.ts'
import { isAuthentic, senderSignature } from '../../signatures.ts'
import { changesetsIn } from './changesets.ts'
import { filesOf, type Line, linesIn } from './input.ts'
import { sample } from './sample.ts'
import { setup } from './setup.ts'

/** Unity Version Control, formerly Plastic SCM: a trigger of the server posts its environment variables. It has neither headers nor a signature. */
export const plastic: Provider = {
  name: 'plastic',
  label: 'Unity Version Control (Plastic SCM)',
  reports: 'Changesets and their files',
  category: 'version_control',
  paths: ['plastic'],
  tokenHeader: 'x-service-token',
  answers: 200,
  // People see an error as one of their check-in, which has worked.
  stopsAfterErrors: true,
  verify: (delivery, secrets, required) => isAuthentic(secrets, required, senderSignature(delivery, secrets)),
  deliveryKey: ({ body }) => text(at(body, 'PLASTIC_CHANGESET')),
  event: ({ body }) => kindOf(body),
  read({ body }) {
    const reported = object(body)
    if (reported === undefined || !Object.keys(reported).some((key) => key === 'INPUT' || key.startsWith('PLASTIC_')))
      throw new Unreadable('The body must have the variables of a trigger, such as PLASTIC_CHANGESET.')
    // Triggers for labels, shelves and reviews may name a changeset too.
    return kindOf(reported) === 'checkin' ? changes(reported) : []
  },
  setup,
  sample,
}

/** The body doesn't say which trigger it is of. */
function kindOf(body: unknown): string {
  const has = (name: string) => text(at(body, `PLASTIC_${name}`)) !== undefined
  if (has('REVIEW_ACTION') || has('REVIEW_TITLE')) return 'review'
  if (has('LABEL_NAME')) return 'label'
  if (has('SHELVE')) return 'shelve'
  return 'checkin'
}

function changes(body: Json): ChangeFact[] {
  const lines = linesIn(body.INPUT)
  const changesets = changesetsIn(body, lines)
  const linesBy = new Map<string | undefined, Line[]>()
  for (const line of lines ?? []) {
    const known = linesBy.get(line.of)
    if (known) known.push(line)
    else linesBy.set(line.of, [line])
  }
  const user = text(body.PLASTIC_USER)
  return changesets.map(({ number, branch, repository, server }) => ({
    kind: 'change',
    source_type: 'AssetCommit',
    // Every repository counts its own changesets, and numbers alone look like changelists of Perforce.
    identifier: `${repository}@${number}`,
    author: user ?? '',
    author_uids: uids(user),
    description: text(body.PLASTIC_COMMENT) ?? '',
    timestamp: null,
    branch,
    repository: { id: server === undefined ? repository : `${repository}@${server}`, name: repository },
    position: Number(number),
    files: lines && filesOf(changesets.length === 1 ? lines : (linesBy.get(`${number}@${repository}`) ?? [])),
  }))
}
