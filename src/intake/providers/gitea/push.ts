import { type Fact, isChange } from '../../facts.ts'
import { at, type Json, link, number, objects } from '../../reading.ts'
import { isNothing } from '../../reports/git-push.ts'
import { push as gitHubPush } from '../github/push.ts'

/** Commits come newest first, and zeros say what GitHub has flags for. A forced push is not reported. */
export function push(body: Json): Fact[] {
  const commits = objects(body.commits)
  const isNewestFirst = commits.length > 1 && commits[0]!.id === body.after
  const facts = gitHubPush({
    ...body,
    commits: Array.isArray(body.commits) ? (isNewestFirst ? commits.toReversed() : commits) : undefined,
    created: isNothing(body.before),
    deleted: isNothing(body.after),
    forced: false,
  })
  const page = link(at(body, 'repository', 'html_url'))
  const changes = facts.filter(isChange)
  // Long pushes list only their newest commits: what the first of them follows is unknown then.
  if ((number(body.total_commits) ?? 0) > changes.length) delete changes[0]?.follows
  for (const change of changes) if (page !== undefined) change.file_url = `${page}/src/commit/${change.identifier}/{path}#L{line}`
  return facts
}
