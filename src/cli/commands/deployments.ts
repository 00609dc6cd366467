import type { DeploymentEdit } from '../../contract/bodies.ts'
import { deploymentNews } from '../../contract/events.ts'
import type { ReplyOf } from '../../contract/routes.ts'
import { type BuildGap, DEPLOYMENT_STATUSES } from '../../contract/sets.ts'
import type { Deployment } from '../../contract/shapes.ts'
import { storeLabel } from '../../contract/spellings/stores.ts'
import type { Noun } from '../../terminal/command.ts'
import { Failure, usage } from '../../terminal/failures.ts'
import type { Output } from '../../terminal/output.ts'
import { extra, field, main } from '../../terminal/table.ts'
import { printContents } from '../output/print-contents.ts'
import { command } from '../program/command.ts'
import { listCommand } from '../program/list-command.ts'
import { findThing, showCommand } from '../program/show-command.ts'
import { SUMMARIES } from '../summaries.ts'

const list = listCommand({
  route: 'listDeployments',
  rows: 'deployments',
  noun: 'deployments',
  summary: 'List the deployments of a project, newest first',
  empty: 'Connect a store in the web app under Integrations, or report deployments from your CI.',
  page: 'deployments',
  columns: [
    'id',
    'status',
    { title: 'live', cell: ({ current }) => (current ? 'yes' : '') },
    'store',
    { ...field('track'), ends: true },
    extra('platform'),
    { ...main('version'), ends: true },
    { ...field('branch'), ends: true },
    extra('build_run_id', 'build'),
    'created_at',
  ],
  examples: [
    'deployments list --current',
    'deployments list --platform steam --status live',
    "deployments list --pick '[0].version'",
  ],
})

const show = showCommand({
  route: 'showDeployment',
  noun: 'deployment',
  summary: 'Show a deployment with its build',
  page: (deployment) => `deployments/${deployment.id}`,
  id: 'Id or number of the deployment',
  examples: ['deployments show 3', 'deployments show 3 --json version,status'],
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
  removed: 'somebody removed the build',
}

function tellCandidates({ reason, candidates }: ReplyOf<'showDeploymentBuild'>, out: Output) {
  out.say(`No build: ${reason === null ? 'unknown' : GAPS[reason]}.`)
  for (const { id, ci_job_name, build_number, status } of candidates)
    out.say(`  ${id}  ${ci_job_name} #${build_number}  ${status}`)
}

const link = command({
  name: 'link',
  summary: 'Link a deployment to a build, or remove the link',
  project: true,
  args: { deployment: { help: 'Id or number of the deployment' } },
  web: async (call) =>
    `/projects/${call.project}/deployments/${(await findThing(call, 'showDeployment', call.args.deployment)).id}`,
  flags: {
    build: { help: 'Id of a passed build, or none', value: 'id' },
    note: { help: 'Reason, for the history', value: 'text' },
  },
  shows: { route: 'editDeployment' },
  examples: ['deployments link 3 --build 54', 'deployments link 3 --build none --note "built by hand"'],
  async run(call) {
    const { client, project, args, flags, out } = call
    if (flags.build === undefined) throw usage('Missing --build. Pass the id of a passed build, or none')
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

/** `PlayStation 5 1.0.3 is in certification.` */
function newsOf({ platform, status, version, deployed_at, ...deployment }: Deployment) {
  const store = deployment.store ?? platform
  return `${[storeLabel(store), version].filter(Boolean).join(' ')} ${deploymentNews(store, status, deployed_at !== null).words}.`
}

const setStatus = command({
  name: 'set-status',
  summary: 'Set the status of a deployment by hand',
  project: true,
  args: {
    deployment: { help: 'Id or number of the deployment' },
    status: { help: `New status: ${DEPLOYMENT_STATUSES.join(', ')}` },
  },
  web: async (call) =>
    `/projects/${call.project}/deployments/${(await findThing(call, 'showDeployment', call.args.deployment)).id}`,
  flags: { note: { help: 'Reason, for the history (required)', value: 'text' } },
  shows: { route: 'editDeployment' },
  examples: ['deployments set-status 3 live --note "Nintendo confirmed by mail"'],
  async run(call) {
    const { client, project, args, flags, out } = call
    const status = DEPLOYMENT_STATUSES.find((known) => known === args.status)
    if (status === undefined) throw usage(`status must be one of: ${DEPLOYMENT_STATUSES.join(', ')}`)
    if (flags.note === undefined) throw usage('Missing --note. Pass the reason')
    const { id } = await findThing(call, 'showDeployment', args.deployment)
    const edited = await client.editDeployment({ project_id: project, id, body: { status, note: flags.note } })
    out.answer(edited, () => out.say(newsOf(edited)))
  },
})

const compare = command({
  name: 'compare',
  summary: 'List the changes between two deployments',
  project: true,
  web: async (call) => `/projects/${call.project}/deployments/${(await findThing(call, 'showDeployment', call.args.later)).id}`,
  args: { earlier: { help: 'Id or number of the earlier deployment' }, later: { help: 'Id or number of the later deployment' } },
  shows: { route: 'listBuildChanges', rows: 'changes' },
  examples: ['deployments compare 1 3', "deployments compare 1 3 --pick '[].description'"],
  async run(call) {
    const { client, project, args, out } = call
    const [earlier, later] = await Promise.all([args.earlier, args.later].map((id) => findThing(call, 'showDeployment', id)))
    const [since_id, build_run_id] = [buildOf(earlier!), buildOf(later!)]
    const found = await client.listBuildChanges({ project_id: project, build_run_id, query: { since_id } })
    out.answer(found, () => printContents(found, out))
  },
})

const buildOf = ({ id, build_run_id }: Deployment): string => {
  if (build_run_id === null)
    throw new Failure(`Deployment ${id} has no build to compare. Link one: goldmaster deployments link ${id} --build BUILD`)
  return build_run_id
}

export const deployments: Noun = {
  name: 'deployments',
  summary: SUMMARIES.deployments,
  commands: [list, show, compare, link, setStatus],
}
