import type { Act } from '../ci-action.ts'
import { buildsOf } from './server.ts'

/** Rebuilds or cancels a build, or builds the head of its branch. */
export const actAtBuildkite: Act = (action, { ci_job_name, build_number, branch }, config, allowed, env) => {
  const { send } = buildsOf(ci_job_name, config, allowed)
  if (action === 'start') {
    const wanted = { commit: 'HEAD', branch, message: 'Started from Goldmaster' }
    return send('POST', '', { ...wanted, ...(Object.keys(env).length > 0 && { env }) })
  }
  return send('PUT', `/${encodeURIComponent(build_number)}/${action === 'stop' ? 'cancel' : 'rebuild'}`)
}
