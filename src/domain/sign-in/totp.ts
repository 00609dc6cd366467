import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'

/** Codes of an authenticator app as in RFC 6238: SHA-1, six digits, half a minute. */

const STEP_MS = 30_000
const DIGITS = 6
/** Clocks differ, and typing takes a while: the previous and the next code are valid too. */
const DRIFT = [0, -1, 1]

const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

export const base32 = (bytes: Buffer): string =>
  [...bytes]
    .map((byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .match(/.{1,5}/g)!
    .map((bits) => BASE32[Number.parseInt(bits.padEnd(5, '0'), 2)])
    .join('')

const bytesOf = (secret: string): Buffer =>
  Buffer.from(
    [...secret]
      .map((letter) => BASE32.indexOf(letter).toString(2).padStart(5, '0'))
      .join('')
      .match(/.{8}/g)!
      .map((bits) => Number.parseInt(bits, 2)),
  )

/** 160 bits, as the RFC recommends. */
export const newSecret = (): string => base32(randomBytes(20))

export const codeAt = (secret: string, step: number): string => {
  const counter = Buffer.alloc(8)
  counter.writeBigUInt64BE(BigInt(step))
  const mac = createHmac('sha1', bytesOf(secret)).update(counter).digest()
  const value = mac.readUInt32BE(mac.at(-1)! & 15) & 0x7fffffff
  return String(value % 10 ** DIGITS).padStart(DIGITS, '0')
}

export const stepOf = (now: number): number => Math.floor(now / STEP_MS)

export const isCode = (text: string): boolean => /^\d{6}$/.test(text)

/** The time step of a code, if it is currently valid and later than the last one used. */
export function matchingStep(secret: string, code: string, now: number, last: number): number | undefined {
  if (!isCode(code)) return undefined
  return DRIFT.map((drift) => stepOf(now) + drift).find(
    (step) => step > last && timingSafeEqual(Buffer.from(codeAt(secret, step)), Buffer.from(code)),
  )
}

/** What apps read from a QR code or a link. */
export const otpauthUrl = (secret: string, email: string): string =>
  `otpauth://totp/${encodeURIComponent(`Goldmaster:${email}`)}?${new URLSearchParams({ secret, issuer: 'Goldmaster' })}`
