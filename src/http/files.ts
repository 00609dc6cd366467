import type { FastifyInstance } from 'fastify'
import { notFound } from '../contract/errors.ts'
import { isUuid, readShortId } from '../contract/params.ts'
import { fileDownload } from '../contract/routes.ts'
import { ofAccount } from '../db/database.ts'
import { authorize, findCaller } from '../domain/access/access.ts'
import { isPicture } from '../domain/files/content.ts'
import * as files from '../domain/files/files.ts'
import type { AuthScheme } from './auth/auth-scheme.ts'
import { sendFile } from './send-file.ts'
import type { Service } from './service.ts'

/** Files never change: another content has another id. Private, because only members of the project get them. */
export const FOREVER = 'private, max-age=31536000, immutable'

/** Files with the access checks of the record that they belong to. Not in the route table, since the response is a file. */
export const serveFiles = (app: FastifyInstance, service: Service, schemes: readonly AuthScheme[]) => {
  for (const scheme of schemes) serveFilesOf(app, service, scheme)
}

function serveFilesOf(app: FastifyInstance, { db, lastUsed }: Service, scheme: AuthScheme) {
  app.get<{ Params: { project_id: string; id: string } }>(`${scheme.prefix}${fileDownload.path}`, async (request, reply) => {
    const { project_id, id } = request.params
    const ask = { who: scheme.who(request), scope: undefined, role: 'viewer', project: readShortId(project_id) ?? null } as const
    const caller = await findCaller(db, ask)
    request.about = caller
    const { account_id, project_id: project } = caller
    const own = ofAccount(db, account_id)
    const file = project !== null && isUuid(id) && (await files.find(own, { account_id: account_id!, project_id: project }, id))
    // The record decides on the scope. Everybody may learn that there is no such file in a project that they can read.
    authorize(caller, { ...ask, scope: file ? fileDownload.scopes[file.subject] : 'ping' })
    lastUsed.note(caller.token_id)
    if (!file) throw notFound('File')
    const shownAs = isPicture(file.type) ? file.type : undefined
    return sendFile(request, reply, own, { ...file, shownAs, caching: FOREVER })
  })
}
