import type { ProtocolError } from '@modelcontextprotocol/server'

export interface Listen {
  id: string | number
  uris: string[]
}

/** The resources of a `subscriptions/listen` message; undefined for every other message. */
export function listenOf(message: unknown): Listen | undefined {
  const { method, id, params } = (message ?? {}) as { method?: unknown; id?: unknown; params?: unknown }
  if (method !== 'subscriptions/listen' || (typeof id !== 'string' && typeof id !== 'number')) return undefined
  const { notifications } = (params ?? {}) as { notifications?: { resourceSubscriptions?: unknown } }
  const uris = notifications?.resourceSubscriptions
  if (!Array.isArray(uris) || !uris.every((uri) => typeof uri === 'string')) return undefined
  return { id, uris }
}

/** The request that a message cancels. */
export function cancelledBy(message: unknown): string | number | undefined {
  const { method, params } = message as { method?: unknown; params?: { requestId?: unknown } }
  const id = method === 'notifications/cancelled' ? params?.requestId : undefined
  return typeof id === 'string' || typeof id === 'number' ? id : undefined
}

/** An error for a request that never reached the protocol's own server. */
export const refusalOf = (id: string | number, { code, message }: ProtocolError) =>
  ({ jsonrpc: '2.0', id, error: { code, message } }) as const
