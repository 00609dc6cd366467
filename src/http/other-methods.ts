import type { FastifyInstance } from 'fastify'
import { methodNotAllowed } from '../contract/errors.ts'

const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/**
 * For requests that no route takes: a known address asked in another way says which ways there are. Call it before the routes are added. Its
 * patterns are made when the first such request comes: a route for every other method would double the time of a start.
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
    /** Throws if the address is known with other methods. */
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
