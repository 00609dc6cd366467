import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { notFound } from '../../contract/errors.ts'

/** Next to the compiled code, or where `npm run build` puts it when the sources run. */
const CLIENT_FILE = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../../../dist/goldmaster.mjs' : '../goldmaster.mjs', import.meta.url),
)

/** The CLI in one file, for build machines that only have Node: always the version of the service. */
export function serveClientFile(app: FastifyInstance) {
  app.get('/goldmaster.mjs', async (_, reply) => {
    const file = await readFile(CLIENT_FILE).catch(() => {
      throw notFound('The built command line')
    })
    return reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(file)
  })
}
