import { readdirSync, readFileSync } from 'node:fs'
import { extname, join, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { notFound } from '../../contract/errors.ts'

/** The built web app: next to the compiled code, or where `npm run build` puts it when the sources run. */
const WEB_FOLDER = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../../dist/web/' : '../web/', import.meta.url))

/** Paths that are pages of the app; every other path is a 404. */
const PAGES = [
  '/',
  '/feed',
  '/inbox',
  '/sign-in',
  '/sign-up',
  '/welcome',
  '/verify',
  '/reset',
  '/unsubscribe',
  '/cli/auth',
  '/oauth/refused',
  '/invitations/*',
  '/projects/*',
  '/settings',
  '/settings/*',
]

const TYPES: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.webmanifest': 'application/manifest+json; charset=utf-8',
  '.txt': 'text/plain; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.woff2': 'font/woff2',
}

/** Only our own scripts run, no site can frame us, and no referrer is sent. */
const GUARDS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self'; media-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  'referrer-policy': 'no-referrer',
  'permissions-policy': 'camera=(), microphone=(), geolocation=()',
  'cross-origin-opener-policy': 'same-origin',
}

interface Held {
  type: string
  plain: Buffer
  /** Compressed on first request; null if it would save nothing. */
  gzip?: Promise<Buffer | null>
  cache: string
}

/**
 * Serves the web app from memory; without a build there are no pages, and the rest works. Returns a function that sends the app for any
 * other path.
 */
export function serveStatic(app: FastifyInstance) {
  const files = readFiles(WEB_FOLDER)
  const index = files.get('/index.html')
  const sendApp = async (request: FastifyRequest, reply: FastifyReply) => {
    if (!index) throw notFound('Page')
    return send(request, reply, index)
  }
  // Immutable files don't count against the rate limit.
  const config = { uncounted: true }
  for (const [path, held] of files) {
    if (path !== '/index.html') app.get(path, { config }, (request, reply) => send(request, reply, held))
  }
  for (const page of PAGES) app.get(page, { config }, (request, reply) => sendApp(request, reply))
  return sendApp
}

async function send(request: FastifyRequest, reply: FastifyReply, held: Held) {
  const wanted = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''))
  if (wanted) held.gzip ??= pack(held.plain)
  const packed = wanted ? await held.gzip : null
  reply.headers(GUARDS).header('cache-control', held.cache).header('vary', 'accept-encoding').type(held.type)
  if (packed) reply.header('content-encoding', 'gzip')
  return reply.send(packed ?? held.plain)
}

const gzipped = promisify(gzip)
const pack = async (plain: Buffer) => {
  const packed = await gzipped(plain, { level: 9 })
  return packed.length < plain.length ? packed : null
}

function readFiles(folder: string): Map<string, Held> {
  const names = readable(folder)
  return new Map(
    names.map((name) => {
      const plain = readFileSync(join(folder, name))
      const path = `/${name.split(sep).join('/')}`
      // File names below assets/ contain a hash of the content.
      const cache = path.startsWith('/assets/')
        ? 'public, max-age=31536000, immutable'
        : path.endsWith('.html')
          ? 'no-store'
          : 'no-cache'
      return [path, { type: TYPES[extname(name)] ?? 'application/octet-stream', plain, cache }]
    }),
  )
}

function readable(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name).slice(folder.length))
  } catch {
    return []
  }
}

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Does not count against the rate limit of requests. */
    uncounted?: boolean
  }
}
