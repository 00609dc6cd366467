import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { readShortId } from '../../contract/params.ts'
import { admit } from '../../domain/access/access.ts'
import * as exports from '../../domain/accounts/exports.ts'
import { requireFresh } from '../../domain/sign-in/fresh-sign-in.ts'
import type { AuthScheme } from '../auth/auth-scheme.ts'
import { rangeOf } from '../ranges.ts'
import { idOf } from '../routes/path-ids.ts'
import type { Service } from '../service.ts'

/** Not in the route table, since its response is a file. */
const EXPORT_PATH = '/app/api/v1/accounts/:account_id/exports/:id/file'

/** Downloads an export from any offset: an interrupted download can be resumed. */
export function serveExportDownload(app: FastifyInstance, { db }: Service, scheme: AuthScheme) {
  app.get<{ Params: { account_id: string; id: string } }>(EXPORT_PATH, async (request, reply) => {
    const { account_id, id } = request.params
    const account = readShortId(account_id) ?? null
    const caller = await admit(db, { who: scheme.who(request), scope: undefined, role: undefined, account })
    const file = await exports.find(db, caller.account_id!, caller.user_id, idOf(id, 'Export'))
    await requireFresh(db, caller)
    const [from, until] = rangeOf(request, reply, `"export-${file.id}"`, file.bytes)
    reply
      .type('application/gzip')
      .header('content-length', until - from)
      .header('content-disposition', `attachment; filename="goldmaster-${file.created_at.slice(0, 10)}-${file.id}.json.gz"`)
      .header('accept-ranges', 'bytes')
      .header('cache-control', 'private, no-store')
    return request.method === 'HEAD' ? reply.send() : reply.send(Readable.from(exports.read(db, file, from, until)))
  })
}
