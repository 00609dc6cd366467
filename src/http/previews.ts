import type { FastifyInstance } from 'fastify'
import { notFound } from '../contract/errors.ts'
import { type RawQuery, readQuery, readShortId } from '../contract/params.ts'
import { previewDownload } from '../contract/routes.ts'
import { ofAccount } from '../db/database.ts'
import { admit } from '../domain/access/access.ts'
import { isPicture } from '../domain/files/content.ts'
import { findSize } from '../domain/previews/previews.ts'
import type { AuthScheme } from './auth/auth-scheme.ts'
import { sendFile } from './send-file.ts'
import type { Service } from './service.ts'

/** A new upload for the same version has another `updated_at`. Private, because only members of the project get it. */
const FOREVER = 'private, max-age=31536000, immutable'
const ASK_AGAIN = 'private, no-cache'

/** Browsers show these and never execute them. */
const SHOWN: Readonly<Record<string, string>> = {
  'video/mp4': 'video/mp4',
  'video/webm': 'video/webm',
  'audio/wav': 'audio/wav',
  'audio/ogg': 'audio/ogg',
  'model/gltf-binary': 'model/gltf-binary',
  'text/plain': 'text/plain; charset=utf-8',
}

/** What can be seen of a version of an asset. Not in the route table, since the response is a file. */
export const servePreviews = (app: FastifyInstance, service: Service, schemes: readonly AuthScheme[]) => {
  for (const scheme of schemes) servePreviewsOf(app, service, scheme)
}

function servePreviewsOf(app: FastifyInstance, { db, lastUsed }: Service, scheme: AuthScheme) {
  app.get<{ Params: { project_id: string; asset_id: string; version: string } }>(
    `${scheme.prefix}${previewDownload.path}`,
    async (request, reply) => {
      const { project_id, asset_id, version } = request.params
      const project = readShortId(project_id) ?? null
      const caller = await admit(db, { who: scheme.who(request), scope: previewDownload.scope, role: 'viewer', project })
      request.about = caller
      lastUsed.note(caller.token_id)
      const { size = 'small', at } = readQuery(previewDownload.query, request.query as RawQuery)
      const own = ofAccount(db, caller.account_id)
      const by = { account_id: caller.account_id!, project_id: caller.project_id! }
      const file = await findSize(own, by, asset_id, version, size)
      if (!file) throw notFound('Preview')
      const shownAs = isPicture(file.type) ? file.type : SHOWN[file.type]
      const name = `preview-${size}.${file.type.split('/')[1]!.replace('gltf-binary', 'glb').replace('plain', 'txt')}`
      return sendFile(request, reply, own, { ...file, name, shownAs, caching: at === undefined ? ASK_AGAIN : FOREVER })
    },
  )
}
