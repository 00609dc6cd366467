import { crc32 } from 'node:zlib'

/**
 * Tokens that a secret scanner finds: `gm_`, their kind, 43 random characters, and a checksum that prevents false positives. API and webhook
 * tokens have no prefix.
 */
export const TOKEN_KINDS = ['ugs', 'scim', 'invite', 'link', 'refresh'] as const
export type TokenKind = (typeof TOKEN_KINDS)[number]

export const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
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

export const scannable = (kind: TokenKind, random: string): string => {
  const text = `gm_${kind}_${random}`
  return text + checksumOf(text)
}

/** The pattern that SECURITY.md gives for scanners. */
const TOKEN = new RegExp(`gm_(?:${TOKEN_KINDS.join('|')})_[0-9A-Za-z]{49}(?![0-9A-Za-z])`, 'g')

/** The text without our tokens; a match with a wrong checksum stays. */
export const redactOwnTokens = (text: string, by: string): string =>
  text.replace(TOKEN, (token) => (token.endsWith(checksumOf(token.slice(0, -CHECKSUM))) ? by : token))
