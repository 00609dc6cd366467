import { type Client, clientRoutes } from '../../contract/client.ts'

interface Shape {
  properties?: Record<string, Shape>
  items?: Shape
}

/** The fields of a reply, or of its rows. */
export function fieldsOf(route: keyof Client, rows?: string): string[] {
  const reply = clientRoutes[route].reply as Shape
  const shape = rows === undefined ? reply : reply.properties?.[rows]?.items
  return Object.keys(shape?.properties ?? {})
}
