import { randomBytes, randomInt } from 'node:crypto'
import { crc32 } from 'node:zlib'

/**
 * Tokens that a secret scanner finds: `gm_`, their kind, 43 characters, and a checksum that prevents false positives. API and webhook
 * tokens have no prefix: their own last characters are a checksum, so that they are recognized without any context.
 */
export const TOKEN_KINDS = ['ugs', 'scim', 'invite', 'link', 'refresh'] as const
export type TokenKind = (typeof TOKEN_KINDS)[number]

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const CHECKSUM = 6

/** The CRC-32 in base 62, most significant digit first. */
function checksumOf(text: string): string {
  let left = crc32(text)
  let digits = ''
  for (let n = 0; n < CHECKSUM; n++) {
    digits = BASE62[left % 62] + digits
    left = Math.floor(left / 62)
  }
  return digits
}

const API_RANDOM = 37
const WEBHOOK_BYTES = 28

/** 43 characters of 62: 220 random bits and the checksum. */
export const newToken = (): string => {
  const random = Array.from({ length: API_RANDOM }, () => BASE62[randomInt(62)]).join('')
  return random + checksumOf(random)
}

/** 64 hexadecimal characters: 224 random bits and the checksum. */
export const newWebhookToken = (): string => {
  const random = randomBytes(WEBHOOK_BYTES).toString('hex')
  return random + hexChecksumOf(random)
}

export const scannable = (kind: TokenKind, random: string): string => {
  const text = `gm_${kind}_${random}`
  return text + checksumOf(text)
}

export const newScannableToken = (kind: TokenKind): string => scannable(kind, newToken())

const hexChecksumOf = (text: string): string => crc32(text).toString(16).padStart(8, '0')
const isApiToken = (text: string) => text.endsWith(checksumOf(text.slice(0, -CHECKSUM)))
const isWebhookToken = (text: string) => text.endsWith(hexChecksumOf(text.slice(0, -8)))

/** The pattern that SECURITY.md gives for scanners. */
const TOKEN = new RegExp(`gm_(?:${TOKEN_KINDS.join('|')})_[0-9A-Za-z]{49}(?![0-9A-Za-z])`, 'g')
/** The words of the length of a token without a prefix, or longer. Skips as much as it can, because nearly every text is asked. */
function* longWords(text: string): Generator<[from: number, to: number]> {
  for (let at = SHORTEST - 1; at < text.length; at += SHORTEST) {
    let from = at
    while (from >= 0 && at - from < SHORTEST && isAlphanumeric(text.charCodeAt(from))) from--
    if (at - from >= SHORTEST) {
      while (from >= 0 && isAlphanumeric(text.charCodeAt(from))) from--
      while (at < text.length && isAlphanumeric(text.charCodeAt(at))) at++
      yield [from + 1, at]
    } else at = from
  }
}
const SHORTEST = 43
const WEBHOOK = /^[0-9a-f]{64}$/

const isAlphanumeric = (code: number) => (code >= 97 && code <= 122) || (code >= 65 && code <= 90) || (code >= 48 && code <= 57)

/** The start of a token that ends where this word does; an escape (`\n`, `%3D`) before it is not part of it. */
function startOfToken(text: string, from: number, to: number): number | undefined {
  const before = text[from - 1]
  const start = before === '\\' && /[nrt]/.test(text[from]!) ? from + 1 : before === '%' ? from + 2 : from
  const word = to - start > 64 ? '' : text.slice(start, to)
  return word.length === SHORTEST
    ? isApiToken(word)
      ? start
      : undefined
    : WEBHOOK.test(word) && isWebhookToken(word)
      ? start
      : undefined
}

/** Whether the text has an API or webhook token, whatever is around it. */
export function hasBareToken(text: string): boolean {
  for (const [from, to] of longWords(text)) if (startOfToken(text, from, to) !== undefined) return true
  return false
}

/** The text without our tokens; a match with a wrong checksum stays. */
export function redactOwnTokens(text: string, by: string): string {
  const prefixed = text.replace(TOKEN, (token) => (isApiToken(token) ? by : token))
  let out = ''
  let copied = 0
  for (const [from, to] of longWords(prefixed)) {
    const start = startOfToken(prefixed, from, to)
    if (start === undefined) continue
    out += prefixed.slice(copied, start) + by
    copied = to
  }
  return copied === 0 ? prefixed : out + prefixed.slice(copied)
}
