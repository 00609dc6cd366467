import { type RouteName, routes } from '../../contract/routes.ts'

interface Shape {
  properties?: Record<string, Shape>
  items?: Shape
}

/** The fields of a reply, or of its rows. */
export function fieldsOf(route: RouteName, rows?: string): string[] {
  const reply = routes[route].reply as Shape
  const shape = rows === undefined ? reply : reply.properties?.[rows]?.items
  return Object.keys(shape?.properties ?? {})
}
