import type { FastifyInstance, FastifyRequest } from 'fastify'
import { projectInactive, readOnly } from '../../contract/errors.ts'
import * as tokens from '../../domain/ugs/tokens.ts'
import type { Service } from '../service.ts'
import { CALLS } from './calls.ts'

/** The token is in the path, or the password of Basic authentication with any user name. */
const PREFIXES = ['/ugs/:token/api', '/ugs/api']

/** The metadata server for stock Unreal Game Sync clients, `PostBadgeStatus` and CI plugins. */
export function serveUgs(app: FastifyInstance, service: Service) {
  for (const prefix of PREFIXES)
    for (const [name, call] of Object.entries(CALLS)) {
      const [method, path] = name.split(' ') as [string, string]
      app.route({
        method,
        url: `${prefix}${path}`,
        onRequest: async (request) => {
          request.ugs = await authorize(service, request)
          if (call.writes) refuseUnlessWritable(service, request.ugs)
        },
        handler: async (request, reply) => {
          const access = request.ugs!
          const answer = await service.share.enter(access.account_id, () => call.run({ service, access, request }))
          // Senders of badges accept only 200 as a success, not even 204.
          return reply.code(200).send(answer)
        },
      })
    }
}

async function authorize(service: Service, request: FastifyRequest): Promise<tokens.UgsAccess> {
  const { token } = request.params as { token?: string }
  const access = await tokens.open(service.db, token ?? passwordOf(request))
  request.about = access
  await service.limits.ugs(String(access.token_id))
  return access
}

function passwordOf({ headers }: FastifyRequest): string | undefined {
  const basic = /^Basic +([A-Za-z0-9+/=]+)$/i.exec(headers.authorization ?? '')?.[1]
  return basic && Buffer.from(basic, 'base64').toString().split(':').slice(1).join(':')
}

function refuseUnlessWritable({ site }: Service, { project_status, read_only }: tokens.UgsAccess) {
  if (read_only) throw readOnly(read_only, site)
  if (project_status !== 'active') throw projectInactive(project_status)
}

declare module 'fastify' {
  interface FastifyRequest {
    ugs?: tokens.UgsAccess
  }
}
