import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes, randomInt } from 'node:crypto'

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

/** API tokens: 43 characters of 62, a little over 32 random bytes, without a prefix. */
export const newToken = () => Array.from({ length: 43 }, () => BASE62[randomInt(62)]).join('')

/** Webhook tokens: 64 hexadecimal characters. */
export const newWebhookToken = () => randomBytes(32).toString('hex')

/** All that is kept of a token. */
export const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Keys for one purpose each, drawn from the one secret the operator keeps. */
export const keyFor = (secret: string, purpose: string): Buffer => createHmac('sha256', secret).update(purpose).digest()

/** Encrypts what settings must be able to show again. */
export class Vault {
  readonly #key: Buffer

  constructor(secret: string) {
    this.#key = keyFor(secret, 'vault')
  }

  seal(value: string): string {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key, nonce)
    const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
    return Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')
  }

  open(sealed: string): string {
    const bytes = Buffer.from(sealed, 'base64')
    const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12))
    decipher.setAuthTag(bytes.subarray(12, 28))
    return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
  }
}
