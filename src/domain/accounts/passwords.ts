import { randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, string, number, object, Buffer>(scrypt)

const COST = { N: 16_384, r: 16, p: 1, maxmem: 128 * 16_384 * 16 * 2 }
const KEY_BYTES = 64

const keyOf = (password: string, salt: string) => derive(password.normalize('NFKC'), salt, KEY_BYTES, COST)

/** The stored form of a password: `<salt>:<key>`, as browser sign-in checks it. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString('hex')
  return `${salt}:${(await keyOf(password, salt)).toString('hex')}`
}

export async function verifyPassword(password: string, hash: string): Promise<boolean> {
  const [salt = '', hex = ''] = hash.split(':')
  const [given, kept] = [await keyOf(password, salt), Buffer.from(hex, 'hex')]
  return given.length === kept.length && timingSafeEqual(given, kept)
}
