import { createHmac, randomBytes } from 'node:crypto'

const PREFIX = 'whsec_'

/** Secrets and signatures in the Standard Webhooks format. */
export const newSecret = () => PREFIX + randomBytes(32).toString('base64')

/** One signature per secret: during a rotation a receiver may check with either. */
export const signatureOf = (secrets: readonly string[], id: string, timestamp: number, body: string): string =>
  secrets
    .map((secret) => createHmac('sha256', Buffer.from(secret.slice(PREFIX.length), 'base64')))
    .map((hmac) => `v1,${hmac.update(`${id}.${timestamp}.${body}`).digest('base64')}`)
    .join(' ')
