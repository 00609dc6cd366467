import { at, objects, text } from '../../reading.ts'
import type { Act } from '../ci-action.ts'
import { Refused } from '../ci-replies.ts'
import { JenkinsServer, jobPathOf } from './server.ts'
import { parametersOf, valuesFor } from './start.ts'

/** Runs a job with the parameters of a build, or with its branch; or stops a build. */
export const actAtJenkins: Act = async (action, build, config, allowed, chosen) => {
  const server = new JenkinsServer(config, allowed)
  if (action === 'start') {
    const path = jobPathOf(build.ci_job_name)
    const names = parametersOf(await server.json(path, 'property[parameterDefinitions[name]]'))
    // Jenkins ignores parameters that a job does not declare.
    const unknown = Object.keys(chosen).find((name) => !names.includes(name))
    if (unknown !== undefined) throw new Refused(`The Jenkins job ${build.ci_job_name} has no parameter ${unknown}.`)
    const values = valuesFor(names, { ...build, kind: 'regular', commit_hash: '', changelist: '' })
    return run(server, path, names.length > 0, { ...values, ...chosen })
  }
  const path = server.buildPath(build.url)
  if (path === undefined) throw new Refused('The URL of this build is none of the Jenkins server in the integration settings.')
  if (action === 'stop') return server.post(`${path}stop`)
  const parameters = objects((await server.json(path, 'actions[parameters[name,value]]')).actions).flatMap((entry) =>
    objects(at(entry, 'parameters')),
  )
  const hidden = parameters.find(({ value }) => value === undefined)
  if (hidden) throw new Refused(`Jenkins hides the value of the parameter ${text(hidden.name)}. Retry the build in Jenkins.`)
  const values = Object.fromEntries(parameters.map(({ name, value }) => [text(name) ?? '', String(value)]))
  return run(server, path.replace(/\d+\/$/, ''), parameters.length > 0, values)
}

const run = (server: JenkinsServer, path: string, hasParameters: boolean, values: Record<string, string>) =>
  server.post(`${path}${hasParameters ? 'buildWithParameters' : 'build'}`, values)
