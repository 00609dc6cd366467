import type { Noun } from '../program/command.ts'
import { listCommand } from '../program/list-command.ts'
import { showCommand } from '../program/show-command.ts'

const list = listCommand({
  route: 'listDeployments',
  rows: 'deployments',
  noun: 'deployments',
  summary: 'list what went to the stores, newest first',
  page: 'deployments',
  columns: ['id', 'status', 'platform', 'version', 'branch', { title: 'build', cell: (each) => each.build_run_id }, 'created_at'],
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
  tell(deployment, out) {
    const { id, status, branch, external_id, external_build_id, submitted_at, deployed_at, live_at, created_at, build_run } =
      deployment
    out.title(`${deployment.platform} ${deployment.version}`)
    const build = build_run && `${build_run.id} ${build_run.ci_job_name} ${build_run.status}`
    out.facts({ status, branch, build, id, external_id, external_build_id, submitted_at, deployed_at, live_at, created_at })
  },
})

export const deployments: Noun = { name: 'deployments', summary: 'what went to the stores', commands: [list, show] }
