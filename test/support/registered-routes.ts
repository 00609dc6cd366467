import { buildServer } from '../../src/http/server.ts'
import type { Studio } from './studio.ts'

export interface Registered {
  method: string
  url: string
}

/** Every route that the server answers, as its router lists them; HEAD only where there is no GET. */
export async function registeredRoutes({ service }: Studio): Promise<Registered[]> {
  const app = await buildServer(service)
  try {
    await app.ready()
    return routesIn(app.printRoutes({ commonPrefix: false }))
  } finally {
    await app.close()
  }
}

function routesIn(tree: string): Registered[] {
  const path: string[] = []
  return tree.split('\n').flatMap((line) => {
    const [, indent, part, methods] = /^([│ ]*)[└├]── (.*?)(?: \(([A-Z, ]+)\))?$/.exec(line) ?? []
    if (indent === undefined) return []
    path.splice(indent.length / 4, path.length, part!)
    const url = path.join('').replace('//', '/')
    const all = methods?.split(', ') ?? []
    return all.filter((method) => method !== 'HEAD' || !all.includes('GET')).map((method) => ({ method, url }))
  })
}
