import type { FastifyInstance } from 'fastify'
import { methodNotAllowed } from '../contract/errors.ts'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * For requests without a route: a known path with another method gets the allowed methods. Call it before the routes are added. Its
 * patterns are built with the first such request: a route for every other method would double the start time.
 */
export function otherMethods(app: FastifyInstance) {
  const known = new Map<string, Set<string>>()
  app.addHook('onRoute', ({ url, method }) => {
    if (url.includes('*')) return
    const methods = known.get(url) ?? known.set(url, new Set()).get(url)!
    for (const one of [method].flat()) methods.add(one)
  })
  let patterns: { pattern: RegExp; methods: Set<string> }[] | undefined
  return {
    /** Throws if the path is known with other methods. */
    refuse(method: string, url: string) {
      if (!METHODS.has(method)) return
      patterns ??= [...known].map(([url, methods]) => ({ pattern: patternOf(url), methods }))
      const [path] = url.split('?', 1) as [string]
      const methods = known.get(path) ?? patterns.find(({ pattern }) => pattern.test(path))?.methods
      if (methods && !methods.has(method)) throw methodNotAllowed([...methods])
    },
  }
}

const patternOf = (url: string) =>
  new RegExp(
    `^${url
      .split('/')
      .map((part) => (part.startsWith(':') ? '[^/]*' : part.replace(/[^\w-]/g, '\\$&')))
      .join('/')}$`,
  )
