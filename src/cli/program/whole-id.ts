import type { RouteName } from '../../contract/routes.ts'
import { listOrSearch } from '../../contract/searches.ts'
import { usage } from '../../terminal/failures.ts'
import { isEndOf, isShortId } from '../../terminal/short-ids.ts'
import type { Reach } from './call.ts'
import { collect, type Page } from './paging.ts'

/** Records with long ids, and the lists that show them by their end. */
const LISTS: Partial<Record<RouteName, { route: RouteName; rows: string }>> = {
  showAsset: { route: 'listAssets', rows: 'assets' },
  showApproval: { route: 'listApprovals', rows: 'approvals' },
  showDeployment: { route: 'listDeployments', rows: 'deployments' },
}
/** How far back an end is searched: people type one that they have just seen in a list. */
const MOST_ROWS = 1000

/** The id that a list showed by its end; anything else is used unchanged. */
export async function wholeId({ client, project }: Reach, route: RouteName, id: string): Promise<string> {
  const list = LISTS[route]
  if (!list || !isShortId(id)) return id
  const ask = client[listOrSearch(list.route, ['cursor'])] as unknown as (args: object) => Promise<Page>
  const page = await collect((paging) => ask({ project_id: project, query: paging }), list.rows, MOST_ROWS)
  const found = (page[list.rows] as { id: string }[]).filter((row) => isEndOf(row.id, id))
  if (found.length > 1) throw usage(`Several ids end with ${id}. List them with --wide and use the full id.`)
  return found[0]?.id ?? id
}
