import type { RouteName } from '../../contract/routes.ts'
import { usage } from '../../terminal/failures.ts'
import { visit } from '../connection/browser.ts'
import { command } from '../program/command.ts'
import { findThing, pageOf } from '../program/show-command.ts'
import { SUMMARIES } from '../summaries.ts'

/** What can be opened: the route to look it up, and its page in the web app if the reply has none. */
const KINDS: Record<string, { route: RouteName; pages: string }> = {
  task: { route: 'showTask', pages: 'tasks' },
  build: { route: 'showBuild', pages: 'builds' },
  change: { route: 'showChange', pages: 'changes' },
  asset: { route: 'showAsset', pages: 'assets' },
  approval: { route: 'showApproval', pages: 'assets' },
  deployment: { route: 'showDeployment', pages: 'deployments' },
}

export const open = command({
  name: 'open',
  summary: SUMMARIES.open,
  project: true,
  args: {
    kind: {
      help: 'Kind of record or page (default: project)',
      optional: true,
      values: ['project', 'feed', ...Object.keys(KINDS)],
    },
    id: { help: 'Id of the record', optional: true },
  },
  examples: ['open', 'open task 12', 'open build 54', 'open feed'],
  async run(call) {
    const { kind = 'project', id } = call.args
    const print = (url: string) => call.out.say(url)
    const known = KINDS[kind]
    if (kind === 'feed') return visit(call.page('/'), call.env, print)
    if (!known) return visit(call.page(`/projects/${id ?? call.project}`), call.env, print)
    if (id === undefined) throw usage(`Missing id. Usage: goldmaster open ${kind} ID`)
    const thing = (await findThing(call, known.route, id)) as { id: string | number; asset_id?: string }
    return visit(pageOf(call, thing, `${known.pages}/${thing.asset_id ?? thing.id}`), call.env, print)
  },
})
