import type { Deployment } from '../../contract/shapes.ts'
import type { Noun } from '../../terminal/command.ts'
import { Failure } from '../../terminal/failures.ts'
import { extra, field, main } from '../../terminal/table.ts'
import { tellContents } from '../output/tell-contents.ts'
import { command } from '../program/command.ts'
import { listCommand } from '../program/list-command.ts'
import { findThing, showCommand } from '../program/show-command.ts'

const list = listCommand({
  route: 'listDeployments',
  rows: 'deployments',
  noun: 'deployments',
  summary: 'list what went to the stores, newest first',
  page: 'deployments',
  columns: [
    'id',
    'status',
    'platform',
    { ...main('version'), ends: true },
    { ...field('branch'), ends: true },
    extra('build_run_id', 'build'),
    'created_at',
  ],
  help: { build_run_id: 'only of this build' },
  examples: ['deployments list --platform steam --status live', "deployments list --pick 'deployments[0].version'"],
})

const show = showCommand({
  route: 'showDeployment',
  noun: 'deployment',
  summary: 'show a deployment and its build',
  page: (deployment) => `deployments/${deployment.id}`,
  id: 'its id, or its number as in the links of a task',
  examples: ['deployments show 12', 'deployments show 9c1f0f8e-3a55-4a83-9b8e-6a1f0b0c7d21'],
  tell(deployment, { out }) {
    const { id, status, branch, external_id, external_build_id, submitted_at, deployed_at, live_at, created_at, build_run } =
      deployment
    out.title(`${deployment.platform} ${deployment.version}`)
    const build = build_run && `${build_run.id} ${build_run.ci_job_name} ${build_run.status}`
    out.facts({ status, branch, build, id, external_id, external_build_id, submitted_at, deployed_at, live_at, created_at })
  },
})

const compare = command({
  name: 'compare',
  summary: 'list the changes that a deployment holds and an earlier one did not, by their place on the branch',
  project: true,
  web: async (call) => `/projects/${call.project}/deployments/${(await findThing(call, 'showDeployment', call.args.later)).id}`,
  args: { earlier: { help: 'its id or number' }, later: { help: 'its id or number' } },
  shows: { route: 'listBuildChanges', rows: 'changes' },
  examples: ['deployments compare 11 12', "deployments compare 11 12 --pick 'changes[].description'"],
  async run(call) {
    const { client, project, args, out } = call
    const [earlier, later] = await Promise.all([args.earlier, args.later].map((id) => findThing(call, 'showDeployment', id)))
    const [since_id, build_run_id] = [buildOf(earlier!), buildOf(later!)]
    const found = await client.listBuildChanges({ project_id: project, build_run_id, query: { since_id } })
    out.answer(found, () => tellContents(found, out))
  },
})

const buildOf = ({ id, build_run_id }: Deployment): string => {
  if (build_run_id === null) throw new Failure(`Nobody knows which build deployment ${id} carries.`)
  return build_run_id
}

export const deployments: Noun = { name: 'deployments', summary: 'what went to the stores', commands: [list, show, compare] }
