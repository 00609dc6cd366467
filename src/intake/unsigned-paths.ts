import type { Provider } from './provider.ts'

/**
 * Paths below `/webhooks/` that accept the webhook token alone although a signing secret is saved, unless the integration accepts only signed
 * deliveries.
 */
export const unsignedPaths = ({ paths, logPaths = [], verify }: Provider): string[] => [
  ...paths.filter((path) => verify({ path, ...WITHOUT_SIGNATURE }, ['a secret'])),
  ...logPaths,
]

const WITHOUT_SIGNATURE = { headers: {}, raw: Buffer.alloc(0), url: '', received: new Date(0), config: {} }
