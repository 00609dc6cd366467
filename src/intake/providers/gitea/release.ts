import type { Fact } from '../../facts.ts'
import type { Json } from '../../reading.ts'
import { release as gitHubRelease } from '../github/deployments.ts'
import { repositoryOf } from '../github/push.ts'

/** One integration may have several repositories with the same tag. */
export function release(body: Json): Fact[] {
  const repository = repositoryOf(body)
  const facts = gitHubRelease({ ...body, action: body.action === 'updated' ? 'edited' : body.action })
  return facts.map((fact) =>
    fact.kind === 'deployment' ? { ...fact, store: 'gitea', key: `release:${repository?.id ?? ''}:${fact.version}` } : fact,
  )
}
