import { createCipheriv, createDecipheriv, createHmac, hash, randomBytes } from 'node:crypto'

export { newScannableToken, newToken, newWebhookToken } from './scannable-tokens.ts'

/** The stored form of a token. */
export const hashOf = (token: string): Buffer => hash('sha256', token, 'buffer')

/** Keys for one purpose each, derived from the operator's secret. */
export const keyFor = (secret: string, purpose: string): Buffer => createHmac('sha256', secret).update(purpose).digest()

/** The location of a sealed value: the value can be decrypted only there. */
export const sealedIn = (table: string, id: number, column: string) => `${table}/${id}/${column}`

/**
 * Encrypts values that settings must be able to show again: with the current secret, while values of former ones can still be decrypted.
 * Each value is prefixed with its key id, so that a rotation finds what is left.
 */
export class Vault {
  readonly #current: string
  readonly #keys: Map<string, Buffer>

  constructor(...secrets: [current: string, ...former: string[]]) {
    const keys = secrets.map((secret) => keyFor(secret, 'vault'))
    this.#keys = new Map(keys.map((key) => [hash('sha256', key).slice(0, 8), key]))
    this.#current = [...this.#keys.keys()][0]!
  }

  /** `place`: the purpose of the value, or `sealedIn` its row; nobody with write access to the database can move it elsewhere. */
  seal(value: string, place: string): string {
    const nonce = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#keys.get(this.#current)!, nonce).setAAD(Buffer.from(place))
    const sealed = Buffer.concat([cipher.update(value, 'utf8'), cipher.final()])
    return `${this.#current}.${Buffer.concat([nonce, cipher.getAuthTag(), sealed]).toString('base64')}`
  }

  open(sealed: string, place: string): string {
    const dot = sealed.indexOf('.')
    if (dot === -1) return this.#openUnbound(sealed)
    const key = this.#keys.get(sealed.slice(0, dot))
    if (!key) throw new Error('Sealed with another key.')
    return decrypt(key, sealed.slice(dot + 1), place)
  }

  isCurrent(sealed: string): boolean {
    return sealed.startsWith(`${this.#current}.`)
  }

  /** Values that were sealed before they were bound to their location; later keys have none. */
  #openUnbound(sealed: string): string {
    for (const key of this.#keys.values())
      try {
        return decrypt(key, sealed)
      } catch {}
    throw new Error('Sealed with another key.')
  }
}

function decrypt(key: Buffer, sealed: string, place?: string): string {
  const bytes = Buffer.from(sealed, 'base64')
  // A shortened tag would be easier to forge.
  const decipher = createDecipheriv('aes-256-gcm', key, bytes.subarray(0, 12), { authTagLength: 16 })
  decipher.setAuthTag(bytes.subarray(12, 28))
  if (place !== undefined) decipher.setAAD(Buffer.from(place))
  return Buffer.concat([decipher.update(bytes.subarray(28)), decipher.final()]).toString('utf8')
}
