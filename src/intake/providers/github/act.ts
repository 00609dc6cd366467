import type { Act } from '../ci-action.ts'
import { Refused } from '../ci-replies.ts'
import { repositoryAt } from './server.ts'
import { workflowNamed } from './start.ts'

/** Repeats or cancels a workflow run, or runs its workflow on the branch. */
export const actAtGitHub: Act = async (action, { ci_job_name, branch, url }, config, allowed, inputs) => {
  const repository = repositoryAt(config, allowed)
  if (action === 'start') {
    const { id } = workflowNamed(ci_job_name, await repository.json('/actions/workflows?per_page=100'))
    return repository.post(`/actions/workflows/${id}/dispatches`, {
      ref: branch.replace(/^refs\/heads\//, ''),
      ...(Object.keys(inputs).length > 0 && { inputs }),
    })
  }
  const run = /\/actions\/runs\/(\d+)/.exec(url)?.[1]
  if (run === undefined) throw new Refused('This build is no workflow run of GitHub.')
  return repository.post(`/actions/runs/${run}/${action === 'stop' ? 'cancel' : 'rerun'}`, {})
}
