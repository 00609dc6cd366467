import { createHash, generateKeyPairSync, randomBytes, sign } from 'node:crypto'

/** An authenticator with its own key. */
export class PasskeyDevice {
  readonly id: Buffer
  readonly keys = generateKeyPairSync('ec', { namedCurve: 'P-256' })
  count = 0

  readonly site: string

  constructor(site: string, idBytes = 16) {
    this.site = site
    this.id = randomBytes(idBytes)
  }

  data({ origin = this.site, flags = 5, credential = false } = {}) {
    const head = Buffer.alloc(5)
    head.writeUInt8(flags | (credential ? 64 : 0))
    head.writeUInt32BE(this.count, 1)
    const attested = credential ? [Buffer.alloc(16), Buffer.from([this.id.length >> 8, this.id.length & 255]), this.id] : []
    return Buffer.concat([createHash('sha256').update(new URL(origin).hostname).digest(), head, ...attested])
  }

  client = (type: string, challenge: string, origin = this.site) => Buffer.from(JSON.stringify({ type, challenge, origin }))

  create(challenge: string, origin = this.site) {
    return {
      name: 'Laptop',
      challenge,
      client_data: this.client('webauthn.create', challenge, origin).toString('base64url'),
      authenticator_data: this.data({ origin, credential: true }).toString('base64url'),
      public_key: this.keys.publicKey.export({ type: 'spki', format: 'der' }).toString('base64url'),
    }
  }

  answer(challenge: string, { origin = this.site, flags = 5, type = 'webauthn.get', key = this.keys.privateKey } = {}) {
    const client = this.client(type, challenge, origin)
    const data = this.data({ origin, flags })
    const signature = sign('sha256', Buffer.concat([data, createHash('sha256').update(client).digest()]), key)
    return {
      challenge,
      credential_id: this.id.toString('base64url'),
      client_data: client.toString('base64url'),
      authenticator_data: data.toString('base64url'),
      signature: signature.toString('base64url'),
    }
  }
}
