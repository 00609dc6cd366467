import type { Delivery } from '../../../src/intake/provider.ts'

/** A delivery at `/webhooks/<path>`, not signed and without settings. */
export const deliveryTo = (path: string, body: unknown, more: Partial<Delivery> = {}): Delivery => ({
  path,
  headers: {},
  raw: Buffer.from(JSON.stringify(body) ?? ''),
  body,
  url: `https://goldmaster.example/webhooks/${path}`,
  received: new Date('2026-03-01T12:00:00Z'),
  config: {},
  ...more,
})
