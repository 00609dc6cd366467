import type { AllowedHosts } from '../../../net/addresses.ts'
import { requireJson } from '../../../net/reply-json.ts'
import { safeFetch } from '../../../net/safe-fetch.ts'
import { at, type Json, text } from '../../reading.ts'
import { failureOf } from '../ci-replies.ts'
import { jobName } from './build.ts'

const NEEDS =
  'Check the server in the integration settings. The user of the access token needs the permissions to run and stop builds, for example the role Project developer.'

/** The configured server, through TeamCity's REST API. Any reply but a success is thrown. */
export const teamCityAt =
  (config: Readonly<Json>, allowed: AllowedHosts, signal?: AbortSignal) =>
  async (path: string, body?: object): Promise<unknown> => {
    const reply = await safeFetch(
      `${(text(config.server) ?? '').replace(/\/$/, '')}${path}`,
      (host, ip, port) => allowed(host, ip, port, 'teamcity'),
      {
        method: body ? 'POST' : 'GET',
        headers: {
          accept: 'application/json',
          authorization: `Bearer ${text(config.api_token) ?? ''}`,
          'content-type': 'application/json',
        },
        ...(body && { body: JSON.stringify(body) }),
        ...(signal && { signal }),
      },
    )
    if (reply.status >= 300) throw failureOf(reply, { ci: 'TeamCity', request: path.split('?', 1)[0]!, needs: NEEDS })
    if (body) return undefined
    return requireJson(reply.body, 'TeamCity')
  }

/** The configuration of a build, as webhooks name it. */
export async function configurationOf(
  config: Readonly<Json>,
  id: string,
  { allowed, signal }: { allowed: AllowedHosts; signal?: AbortSignal | undefined },
): Promise<string[]> {
  const number = /^build:(\d+)$/.exec(id)?.[1]
  if (number === undefined) return []
  const build = await teamCityAt(config, allowed, signal)(`/app/rest/builds/id:${number}?fields=buildType(id,name,projectName)`)
  const name =
    jobName(at(build, 'buildType', 'projectName'), at(build, 'buildType', 'name')) ?? text(at(build, 'buildType', 'id'))
  return name === undefined ? [] : [name]
}
