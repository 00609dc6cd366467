import type { Provider } from './provider.ts'

/**
 * Where the webhook token alone is enough although a signing secret is saved, unless the integration takes only signed deliveries. Below
 * `/webhooks/`.
 */
export const unsignedPaths = ({ paths, logPaths = [], verify }: Provider): string[] => [
  ...paths.filter((path) => verify({ path, ...WITHOUT_SIGNATURE }, ['a secret'])),
  ...logPaths,
]

const WITHOUT_SIGNATURE = { headers: {}, raw: Buffer.alloc(0), url: '', received: new Date(0), config: {} }
