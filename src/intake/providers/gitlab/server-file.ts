import { Unreachable } from '../../../net/safe-fetch.ts'
import type { JobContext } from '../../job-context.ts'
import { type Json, text } from '../../reading.ts'
import { partsOf } from '../repository-path.ts'
import { projectAt } from './server.ts'

/** A file as it was in a commit; one in Git LFS too. Of a long one, its first bytes. */
export async function gitLabFile(
  { allowed }: JobContext,
  config: Readonly<Json>,
  { path, identifier }: { path: string; identifier: string },
  limit: number,
  signal?: AbortSignal,
) {
  const project = (text(config.gitlab_project) ?? '').replace(/^\/+|\/+$/g, '')
  if (project === '') throw new Unreachable('The settings have no path of the project.')
  const place = encodeURIComponent(partsOf(path).join('/'))
  const { get } = projectAt(config, project, allowed, signal)
  const { body, isCut = false } = await get(`/repository/files/${place}/raw?ref=${encodeURIComponent(identifier)}&lfs=true`, {
    limit,
    cut: true,
  })
  return { bytes: body, isCut }
}
