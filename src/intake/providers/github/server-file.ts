import type { JobContext } from '../../job-context.ts'
import type { Json } from '../../reading.ts'
import { partsOf } from '../repository-path.ts'
import { repositoryAt } from './server.ts'

const NEEDS = 'The access token needs the permission Contents: read.'

/** A file as it was in a commit. */
export async function gitHubFile(
  { allowed }: JobContext,
  config: Readonly<Json>,
  { path, identifier }: { path: string; identifier: string },
  limit: number,
  signal?: AbortSignal,
) {
  const place = partsOf(path).map(encodeURIComponent).join('/')
  const { send } = repositoryAt(config, allowed, signal, NEEDS)
  const { body, isCut = false } = await send(`/contents/${place}?ref=${encodeURIComponent(identifier)}`, {
    raw: true,
    limit,
    cut: true,
  })
  return { bytes: body, isCut }
}
