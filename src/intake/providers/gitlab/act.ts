import type { Act } from '../ci-action.ts'
import { Refused } from '../ci-replies.ts'
import { projectOf } from './places.ts'
import { projectAt } from './server.ts'

/** Repeats the failed jobs of a pipeline, cancels it, or runs a pipeline on the branch. */
export const actAtGitLab: Act = async (action, { status, branch, url }, config, allowed, parameters) => {
  const path = projectOf(url, config)
  const pipeline = /\/-\/pipelines\/(\d+)$/.exec(url)?.[1]
  if (path === undefined || pipeline === undefined)
    throw new Refused('The URL of this build is no pipeline of the GitLab server in the integration settings.')
  const project = projectAt(config, path, allowed)
  if (action === 'start') {
    const variables = Object.entries(parameters).map(([key, value]) => ({ key, value }))
    return project.post('/pipeline', { ref: branch.replace(/^refs\/heads\//, ''), ...(variables.length > 0 && { variables }) })
  }
  if (action === 'stop') return project.post(`/pipelines/${pipeline}/cancel`)
  if (status !== 'failed' && status !== 'cancelled')
    throw new Refused('GitLab repeats only failed and canceled jobs, and this pipeline has none. Use Build newest.')
  return project.post(`/pipelines/${pipeline}/retry`)
}
