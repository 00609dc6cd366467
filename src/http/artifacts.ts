import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound } from '../contract/errors.ts'
import { isUuid, type RawQuery, readQuery, readShortId } from '../contract/params.ts'
import { artifactDownload, type QueryOf } from '../contract/routes.ts'
import { ofAccount } from '../db/database.ts'
import { admit } from '../domain/access/access.ts'
import * as artifacts from '../domain/artifacts/artifacts.ts'
import * as shareLinks from '../domain/artifacts/share-links.ts'
import type { AuthScheme } from './auth/auth-scheme.ts'
import { FOREVER } from './files.ts'
import { addressOf } from './limits/network.ts'
import { sendBytes } from './send-file.ts'
import type { Service } from './service.ts'

/** Artifacts of builds. Not in the route table, since the response is a file. */
export const serveArtifacts = (app: FastifyInstance, service: Service, schemes: readonly AuthScheme[]) => {
  for (const scheme of schemes) serveArtifactsOf(app, service, scheme)
}

function serveArtifactsOf(app: FastifyInstance, { db, lastUsed, site }: Service, scheme: AuthScheme) {
  async function admitted(request: FastifyRequest, projectId: string) {
    const project = readShortId(projectId) ?? null
    const caller = await admit(db, { who: scheme.who(request), scope: artifactDownload.scope, role: 'viewer', project })
    request.about = caller
    lastUsed.note(caller.token_id)
    const by = { account_id: caller.account_id!, project_id: caller.project_id! }
    return { own: ofAccount(db, by.account_id), by }
  }

  app.get<{ Params: { project_id: string; id: string } }>(`${scheme.prefix}${artifactDownload.path}`, async (request, reply) => {
    const { own, by } = await admitted(request, request.params.project_id)
    const { id } = request.params
    const artifact = isUuid(id) ? await artifacts.find(own, by, id) : undefined
    if (!artifact) throw notFound('Artifact')
    return sendBytes(request, reply, {
      sha256: artifact.sha256,
      bytes: artifact.bytes,
      name: artifacts.fileNameOf(artifact),
      caching: FOREVER,
      read: (from, until) => artifacts.read(own, artifact, from, until),
    })
  })

  /** A redirect, so that a download that is continued later continues the same file. */
  app.get<{ Params: { project_id: string } }>(`${scheme.prefix}${artifactDownload.latestPath}`, async (request, reply) => {
    const { own, by } = await admitted(request, request.params.project_id)
    const query = readQuery(artifactDownload.query, request.query as RawQuery) as QueryOf<'listLatestArtifacts'>
    const [first] = (await artifacts.latest(own, by, { ...query, limit: 1 }, site)).artifacts
    if (!first) throw notFound('Artifact of a passed build')
    return reply
      .header('cache-control', 'no-store')
      .redirect(`${scheme.prefix}/v1/projects/${by.project_id}/artifacts/${first.id}`)
  })
}

/** The artifact of a share link, for anybody who has it. An expired, revoked or unknown one is the same. */
export function serveSharedArtifacts(app: FastifyInstance, { db }: Service) {
  app.get<{ Params: { token: string } }>(`${shareLinks.PATH}/:token`, async (request, reply) => {
    reply.header('referrer-policy', 'no-referrer').header('cache-control', 'private, no-store').header('x-robots-tag', 'noindex')
    const artifact = await shareLinks.open(db, request.params.token, addressOf(request.ip))
    if (!artifact) throw notFound('Share link')
    return sendBytes(request, reply, {
      sha256: artifact.sha256,
      bytes: artifact.bytes,
      name: artifacts.fileNameOf(artifact),
      caching: 'private, no-store',
      read: (from, until) => artifacts.read(ofAccount(db, artifact.account_id), artifact, from, until),
    })
  })
}
