import type { DeploymentEdit } from '../../contract/bodies.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import { type BuildGap, DEPLOYMENT_STATUSES } from '../../contract/sets.ts'
import type { Deployment } from '../../contract/shapes.ts'
import type { Noun } from '../../terminal/command.ts'
import { Failure, usage } from '../../terminal/failures.ts'
import type { Output } from '../../terminal/output.ts'
import { extra, field, main } from '../../terminal/table.ts'
import { tellContents } from '../output/tell-contents.ts'
import { command } from '../program/command.ts'
import { listCommand } from '../program/list-command.ts'
import { findThing, showCommand } from '../program/show-command.ts'
import { SUMMARIES } from '../summaries.ts'

const list = listCommand({
  route: 'listDeployments',
  rows: 'deployments',
  noun: 'deployments',
  summary: 'list what went to the stores, newest first',
  page: 'deployments',
  columns: [
    'id',
    'status',
    'store',
    { ...field('track'), ends: true },
    extra('platform'),
    { ...main('version'), ends: true },
    { ...field('branch'), ends: true },
    extra('build_run_id', 'build'),
    'created_at',
  ],
  help: { build_run_id: 'only of this build' },
  examples: ['deployments list --platform steam --status live', "deployments list --pick '[0].version'"],
})

const show = showCommand({
  route: 'showDeployment',
  noun: 'deployment',
  summary: 'show a deployment and its build',
  page: (deployment) => `deployments/${deployment.id}`,
  id: 'its id, or its number as in the links of a task',
  examples: ['deployments show 12', 'deployments show 9c1f0f8e-3a55-4a83-9b8e-6a1f0b0c7d21'],
  async tell(deployment, { client, project, out }) {
    const { id, status, branch, external_id, external_build_id, submitted_at, deployed_at, live_at, created_at, build_run } =
      deployment
    out.title(`${[deployment.store ?? deployment.platform, deployment.track].filter(Boolean).join(' ')} ${deployment.version}`)
    const build = build_run && `${build_run.id} ${build_run.ci_job_name} ${build_run.status}`
    out.facts({ status, branch, build, id, external_id, external_build_id, submitted_at, deployed_at, live_at, created_at })
    if (build === null) tellCandidates(await client.showDeploymentBuild({ project_id: project, id }), out)
  },
})

const GAPS: Record<BuildGap, string> = {
  not_named: 'the report names no build',
  not_known: 'no build matches the report yet',
  not_passed: 'the build that the report names did not pass',
  several: 'several builds that passed match the report',
  number_only: 'the report gives a build number without a job, and several jobs have that number',
  contradiction: 'job and number name one build, the commit or changelist another',
  removed: 'a person removed the build',
}

function tellCandidates({ reason, candidates }: ReplyOf<'showDeploymentBuild'>, out: Output) {
  out.say(`No build: ${reason === null ? 'unknown' : GAPS[reason]}.`)
  for (const { id, ci_job_name, build_number, status } of candidates)
    out.say(`  ${id}  ${ci_job_name} #${build_number}  ${status}`)
}

const link = command({
  name: 'link',
  summary: 'link a deployment to a build, or remove its build',
  project: true,
  args: { deployment: { help: 'its id or number' } },
  web: async (call) =>
    `/projects/${call.project}/deployments/${(await findThing(call, 'showDeployment', call.args.deployment)).id}`,
  flags: {
    build: { help: 'the id of a build that passed, or none', value: 'id' },
    note: { help: 'the reason, for the history', value: 'text' },
  },
  shows: { route: 'editDeployment' },
  examples: ['deployments link 12 --build 340', 'deployments link 12 --build none --note "built by hand"'],
  async run(call) {
    const { client, project, args, flags, out } = call
    if (flags.build === undefined) throw usage('--build is missing: the id of a build, or none')
    const { id } = await findThing(call, 'showDeployment', args.deployment)
    const build_run_id = flags.build === 'none' ? null : Number(flags.build)
    const body: DeploymentEdit = { build_run_id, ...(flags.note !== undefined && { note: flags.note }) }
    const edited = await client.editDeployment({ project_id: project, id, body })
    const { build_run } = edited
    out.answer(edited, () =>
      out.say(build_run ? `Linked to ${build_run.ci_job_name} (build ${build_run.id}).` : 'Build removed.'),
    )
  },
})

const setStatus = command({
  name: 'set-status',
  summary: 'set the status of a deployment by hand',
  project: true,
  args: {
    deployment: { help: 'its id or number' },
    status: { help: DEPLOYMENT_STATUSES.join(', ') },
  },
  web: async (call) =>
    `/projects/${call.project}/deployments/${(await findThing(call, 'showDeployment', call.args.deployment)).id}`,
  flags: { note: { help: 'the reason; required', value: 'text' } },
  shows: { route: 'editDeployment' },
  examples: ['deployments set-status 12 live --note "Nintendo confirmed by mail"'],
  async run(call) {
    const { client, project, args, flags, out } = call
    const status = DEPLOYMENT_STATUSES.find((known) => known === args.status)
    if (status === undefined) throw usage(`status must be one of: ${DEPLOYMENT_STATUSES.join(', ')}`)
    if (flags.note === undefined) throw usage('--note is missing: give the reason')
    const { id } = await findThing(call, 'showDeployment', args.deployment)
    const edited = await client.editDeployment({ project_id: project, id, body: { status, note: flags.note } })
    out.answer(edited, () => out.say(`${edited.store ?? edited.platform} ${edited.version} is ${edited.status}.`))
  },
})

const compare = command({
  name: 'compare',
  summary: 'list the changes that a deployment holds and an earlier one did not, by their place on the branch',
  project: true,
  web: async (call) => `/projects/${call.project}/deployments/${(await findThing(call, 'showDeployment', call.args.later)).id}`,
  args: { earlier: { help: 'its id or number' }, later: { help: 'its id or number' } },
  shows: { route: 'listBuildChanges', rows: 'changes' },
  examples: ['deployments compare 11 12', "deployments compare 11 12 --pick '[].description'"],
  async run(call) {
    const { client, project, args, out } = call
    const [earlier, later] = await Promise.all([args.earlier, args.later].map((id) => findThing(call, 'showDeployment', id)))
    const [since_id, build_run_id] = [buildOf(earlier!), buildOf(later!)]
    const found = await client.listBuildChanges({ project_id: project, build_run_id, query: { since_id } })
    out.answer(found, () => tellContents(found, out))
  },
})

const buildOf = ({ id, build_run_id }: Deployment): string => {
  if (build_run_id === null) throw new Failure(`The build of deployment ${id} is unknown.`)
  return build_run_id
}

export const deployments: Noun = {
  name: 'deployments',
  summary: SUMMARIES.deployments,
  commands: [list, show, compare, link, setStatus],
}
