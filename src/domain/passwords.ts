import { randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'

const derive = promisify<string, string, number, object, Buffer>(scrypt)

const COST = { N: 16_384, r: 16, p: 1, maxmem: 128 * 16_384 * 16 * 2 }

/** What is kept of a password: `<salt>:<key>`, in the form that browser sign-in checks. */
export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(16).toString('hex')
  const key = await derive(password.normalize('NFKC'), salt, 64, COST)
  return `${salt}:${key.toString('hex')}`
}
