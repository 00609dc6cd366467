import type { Room, VendorRequest } from '../vendor.ts'

/** The body of a webhook request; the URL contains everything else. */
export const webhookPost = ({ secret }: Room, body: object): VendorRequest => ({
  method: 'POST',
  url: secret,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(body),
})
