import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import type { FastifyInstance } from 'fastify'
import { notFound } from '../../contract/errors.ts'

/** The whole client, and the one with `run` alone. */
const FILES = ['goldmaster.mjs', 'goldmaster-run.mjs']

/** Next to the compiled code, or where `npm run build` puts it when the sources run. */
const pathOf = (name: string) =>
  fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? `../../../dist/${name}` : `../${name}`, import.meta.url))

const read = (name: string) =>
  readFile(pathOf(name)).catch(() => {
    throw notFound('The built command line')
  })

/** The CLI in one file, for build machines that only have Node: always the version of the service. Checksums as `sha256sum -c` reads them. */
export function serveClientFiles(app: FastifyInstance) {
  for (const name of FILES) {
    app.get(`/${name}`, async (_, reply) => {
      const file = await read(name)
      return reply.type('text/javascript; charset=utf-8').header('cache-control', 'no-cache').send(file)
    })
    app.get(`/${name}.sha256`, async (_, reply) => {
      const sum = createHash('sha256')
        .update(await read(name))
        .digest('hex')
      return reply.type('text/plain; charset=utf-8').header('cache-control', 'no-cache').send(`${sum}  ${name}\n`)
    })
  }
}
