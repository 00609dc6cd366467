import { randomBytes, scrypt } from 'node:crypto'
import { promisify } from 'node:util'
import { Vault } from '../domain/privacy/secrets.ts'

/** How the key of a file's secrets is derived from a passphrase: slow on purpose, since a file can be attacked offline. */
export interface Derivation {
  salt: string
  cost: number
}

const COST = 2 ** 17
const COST_MAX = 2 ** 20

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)

export const newDerivation = (): Derivation => ({ salt: randomBytes(16).toString('hex'), cost: COST })

/** AES-256-GCM under a key derived with scrypt. */
export async function passphraseVault(passphrase: string, { salt, cost }: Derivation): Promise<Vault> {
  if (!/^[0-9a-f]{32}$/.test(salt) || !Number.isInteger(Math.log2(cost)) || cost < 2 ** 14 || cost > COST_MAX)
    throw new Error('export[0]: secrets are not sealed as this version knows')
  const key = await derive(passphrase, Buffer.from(salt, 'hex'), 32, { N: cost, r: 8, p: 1, maxmem: 256 * cost * 8 })
  return new Vault(key.toString('hex'))
}
