import { createHash, createPublicKey, type KeyObject, timingSafeEqual, verify } from 'node:crypto'

/**
 * Verifies a browser's passkey response against the challenge (W3C WebAuthn, 7.1 and 7.2). No attestation is requested, so a new key is
 * accepted as the browser decoded it.
 */
interface Challenge {
  challenge: string
  /** The service's origin, without a path. */
  origin: string
}

export interface NewKey {
  /** All as base64url. */
  client_data: string
  authenticator_data: string
  public_key: string
}

export interface Assertion {
  client_data: string
  authenticator_data: string
  signature: string
}

const bytes = (text: string) => Buffer.from(text, 'base64url')
const sha256 = (data: Buffer | string) => createHash('sha256').update(data).digest()

const USER_PRESENT = 1
const USER_VERIFIED = 4
const HAS_CREDENTIAL = 64
const RSA_BITS_MIN = 2048
/** The limit of the standard. */
const CREDENTIAL_BYTES_MAX = 1023

/** The credential and its key; undefined if anything is invalid. */
export function readNewKey(said: NewKey, asked: Challenge): { credential_id: Buffer; public_key: Buffer } | undefined {
  const data = authenticatorData(said.authenticator_data, asked)
  if (!isFor('webauthn.create', said.client_data, asked) || !data?.credential_id) return undefined
  const key = keyOf(bytes(said.public_key))
  return key && { credential_id: data.credential_id, public_key: key.export({ type: 'spki', format: 'der' }) }
}

/** The key's use counter; undefined if anything is invalid. */
export function readAssertion(said: Assertion, publicKey: Buffer, asked: Challenge): { sign_count: number } | undefined {
  const data = authenticatorData(said.authenticator_data, asked)
  if (!isFor('webauthn.get', said.client_data, asked) || !data) return undefined
  const key = keyOf(publicKey)
  const signed = Buffer.concat([bytes(said.authenticator_data), sha256(bytes(said.client_data))])
  const digest = key?.asymmetricKeyType === 'ed25519' ? null : 'sha256'
  return key && verify(digest, signed, key, bytes(said.signature)) ? { sign_count: data.sign_count } : undefined
}

function isFor(type: string, clientData: string, { challenge, origin }: Challenge): boolean {
  try {
    const said = JSON.parse(bytes(clientData).toString('utf8')) as Record<string, unknown>
    return said.type === type && said.challenge === challenge && said.origin === origin && said.crossOrigin !== true
  } catch {
    return false
  }
}

/** Requires our origin, user presence and user verification: a key alone is one factor, with verification it is two. */
function authenticatorData(text: string, { origin }: Challenge) {
  const data = bytes(text)
  if (data.length < 37 || !timingSafeEqual(data.subarray(0, 32), sha256(new URL(origin).hostname))) return undefined
  const flags = data[32]!
  if (!(flags & USER_PRESENT && flags & USER_VERIFIED)) return undefined
  const sign_count = data.readUInt32BE(33)
  if (!(flags & HAS_CREDENTIAL) || data.length < 55) return { sign_count }
  const length = data.readUInt16BE(53)
  const credential_id = data.subarray(55, 55 + length)
  return length > 0 && length <= CREDENTIAL_BYTES_MAX && credential_id.length === length
    ? { sign_count, credential_id }
    : undefined
}

/** P-256, RSA or Ed25519: the types that are requested from browsers. */
function keyOf(spki: Buffer): KeyObject | undefined {
  try {
    const key = createPublicKey({ key: spki, format: 'der', type: 'spki' })
    const { namedCurve, modulusLength = 0 } = key.asymmetricKeyDetails ?? {}
    const fits =
      (key.asymmetricKeyType === 'ec' && namedCurve === 'prime256v1') ||
      (key.asymmetricKeyType === 'rsa' && modulusLength >= RSA_BITS_MIN) ||
      key.asymmetricKeyType === 'ed25519'
    return fits ? key : undefined
  } catch {
    return undefined
  }
}
