import type { Room, VendorRequest } from '../vendor.ts'

/** What is sent to a webhook, whose address says everything else. */
export const webhookPost = ({ secret }: Room, body: object): VendorRequest => ({
  method: 'POST',
  url: secret,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
