import { revisionOf } from '../../build-report.ts'
import { at, objects } from '../../reading.ts'

/**
 * What was built: the commit and the changelist among the revisions of all VCS roots. If there are several of a kind, none of them. Before
 * the sources are fetched there are no revisions; then the last change counts.
 */
export function revisionIn(build: unknown): { commit_hash?: string; changelist?: string } {
  const revisions = objects(at(build, 'revisions', 'revision'))
  const told = revisions.length > 0 ? revisions : objects(at(build, 'lastChanges', 'change'))
  const read = told.map(({ version }) => revisionOf(version))
  const [commit_hash, changelist] = [only(read.map((one) => one.commit_hash)), only(read.map((one) => one.changelist))]
  return { ...(commit_hash !== undefined && { commit_hash }), ...(changelist !== undefined && { changelist }) }
}

function only(values: (string | undefined)[]): string | undefined {
  const distinct = new Set(values.filter((value) => value !== undefined))
  return distinct.size === 1 ? [...distinct][0] : undefined
}
