import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { notFound } from '../contract/errors.ts'
import { isUuid, readShortId } from '../contract/params.ts'
import { fileDownload } from '../contract/routes.ts'
import { ofAccount } from '../db/database.ts'
import { authorize, findCaller } from '../domain/access/access.ts'
import { isPicture } from '../domain/files/content.ts'
import * as files from '../domain/files/files.ts'
import type { AuthScheme } from './auth/auth-scheme.ts'
import { rangeOf } from './ranges.ts'
import { isKnown } from './routes/preconditions.ts'
import type { Service } from './service.ts'

/** Nothing in a file runs, loads or is framed, whatever it contains. */
const SANDBOX = "default-src 'none'; sandbox; frame-ancestors 'none'"
/** Files never change: another content has another id. Private, because only members of the project get them. */
const FOREVER = 'private, max-age=31536000, immutable'

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
    const tag = `"${file.sha256.toString('hex')}"`
    const isShown = isPicture(file.type)
    reply
      .header('content-security-policy', SANDBOX)
      .header('cross-origin-resource-policy', 'same-origin')
      .header('cache-control', FOREVER)
      .header('accept-ranges', 'bytes')
    if (isKnown(request.headers['if-none-match'], tag)) return reply.code(304).header('etag', tag).send()
    const [from, until] = rangeOf(request, reply, tag, file.bytes)
    reply
      .type(isShown ? file.type : 'application/octet-stream')
      .header('content-length', until - from)
      .header('content-disposition', dispositionOf(isShown ? 'inline' : 'attachment', file.name))
    if (request.method === 'HEAD') return reply.send()
    // The first bytes decide whether the file is there, while an error can still be sent.
    const pieces = files.read(own, file, from, until)
    const { value: first } = await pieces.next()
    return reply.send(Readable.from(continued(first, pieces)))
  })
}

async function* continued(first: Buffer | undefined, rest: AsyncGenerator<Buffer>) {
  if (first) yield first
  yield* rest
}

/** The name twice: in ASCII for old clients, and as it is. */
function dispositionOf(how: 'inline' | 'attachment', name: string): string {
  const plain = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const exact = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  )
  return `${how}; filename="${plain}"; filename*=UTF-8''${exact}`
}
