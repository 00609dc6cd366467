import { createHmac } from 'node:crypto'

/** The signing secret of the integration, if set and not empty. Not a flag, because the process list shows flags. */
export const webhookSecretIn = (env: NodeJS.ProcessEnv): string | undefined => env.GOLDMASTER_WEBHOOK_SECRET?.trim() || undefined

/** The header with the signature of these bytes; none without a secret. */
export function signatureHeader(secret: string | undefined, ...signed: (string | Buffer)[]): Record<string, string> {
  if (secret === undefined) return {}
  const mac = createHmac('sha256', secret)
  for (const part of signed) mac.update(part)
  return { 'x-webhook-signature': `sha256=${mac.digest('hex')}` }
}
