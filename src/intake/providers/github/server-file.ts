import { Unreachable } from '../../../net/safe-fetch.ts'
import type { JobContext } from '../../job-context.ts'
import type { Json } from '../../reading.ts'
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
  if (path.split('/').some((part) => part === '' || part === '.' || part === '..'))
    throw new Unreachable('No path of a repository.')
  const place = path.split('/').map(encodeURIComponent).join('/')
  const { send } = repositoryAt(config, allowed, signal, NEEDS)
  const { body } = await send(`/contents/${place}?ref=${encodeURIComponent(identifier)}`, { raw: true, limit })
  return { bytes: body, isCut: false }
}
