import { createCipheriv, createDecipheriv, randomBytes, scrypt } from 'node:crypto'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { ReadableStream as WebStream } from 'node:stream/web'
import { promisify } from 'node:util'
import { createGunzip, createGzip } from 'node:zlib'
import { Decrypter, Encrypter, type Identity, type Recipient, Stanza } from 'age-encryption'
import { DamagedBackup } from './archive.ts'

/** The start of files in the age format. */
const AGE = Buffer.from('age-encryption.org/v1\n')
const LABEL = 'age-encryption.org/v1/scrypt'
/** 2^17, as for exports; 128 MB and half a second. */
const WORK = 17
const WORK_MAX = 20
const CIPHER = 'chacha20-poly1305'
const NONCE = Buffer.alloc(12)
const TAG = 16

/** Half of the time and a tenth more space than the default level. */
const COMPRESSION = { level: 4 }

/** A one-line error that says what to do about the passphrase. */
export class PassphraseRefused extends Error {}

const derive = promisify<string, Buffer, number, object, Buffer>(scrypt)
const keyOf = (passphrase: string, salt: Buffer, work: number) =>
  derive(passphrase, Buffer.concat([Buffer.from(LABEL), salt]), 32, { N: 2 ** work, r: 8, p: 1, maxmem: 2 ** work * 2048 })

/** The library's own scrypt would block the event loop for seconds; Node's runs in threads. */
class Passphrase implements Recipient, Identity {
  readonly #passphrase: string

  constructor(passphrase: string) {
    this.#passphrase = passphrase
  }

  async wrapFileKey(fileKey: Uint8Array): Promise<Stanza[]> {
    const salt = randomBytes(16)
    const cipher = createCipheriv(CIPHER, await keyOf(this.#passphrase, salt, WORK), NONCE, { authTagLength: TAG })
    const body = Buffer.concat([cipher.update(fileKey), cipher.final(), cipher.getAuthTag()])
    return [new Stanza(['scrypt', salt.toString('base64').replaceAll('=', ''), String(WORK)], body)]
  }

  async unwrapFileKey(stanzas: Stanza[]): Promise<Uint8Array | null> {
    const [stanza] = stanzas
    const [kind, salt = '', work = ''] = stanza?.args ?? []
    if (stanzas.length !== 1 || kind !== 'scrypt')
      throw new PassphraseRefused('This backup is encrypted for a key, not with a passphrase: decrypt it with age first.')
    if (!/^\d{1,2}$/.test(work) || Number(work) > WORK_MAX || stanza!.body.length !== 32)
      throw new DamagedBackup('its header cannot be read')
    const body = Buffer.from(stanza!.body)
    const key = await keyOf(this.#passphrase, Buffer.from(salt, 'base64'), Number(work))
    const decipher = createDecipheriv(CIPHER, key, NONCE, { authTagLength: TAG }).setAuthTag(body.subarray(-TAG))
    try {
      return Buffer.concat([decipher.update(body.subarray(0, -TAG)), decipher.final()])
    } catch {
      throw new PassphraseRefused('The passphrase is not the one that this backup was encrypted with.')
    }
  }
}

/** A backup in its stored form: compressed and, with a passphrase, encrypted in the age format. */
export async function* packed(archive: AsyncIterable<Buffer>, passphrase: string | undefined): AsyncGenerator<Buffer> {
  const gzip = createGzip(COMPRESSION)
  pipeline(archive, gzip).catch((error) => gzip.destroy(error))
  if (passphrase === undefined) return yield* gzip
  const encrypter = new Encrypter()
  encrypter.addRecipient(new Passphrase(passphrase))
  yield* asReadable(await encrypter.encrypt(asWeb(gzip)))
}

/** Reverses `packed`; its first bytes show whether it is encrypted. */
export async function* unpacked(stored: AsyncIterable<Buffer>, passphrase: string | undefined): AsyncGenerator<Buffer> {
  const [start, source] = await peek(stored, AGE.length)
  const gunzip = createGunzip()
  const plain = start.equals(AGE) ? await decrypted(source, passphrase) : source
  pipeline(plain, gunzip).catch((error) => gunzip.destroy(error))
  yield* gunzip
}

async function decrypted(source: Readable, passphrase: string | undefined): Promise<AsyncIterable<Buffer>> {
  try {
    if (passphrase === undefined)
      throw new PassphraseRefused('This backup is encrypted: give --passphrase-file, or set BACKUP_PASSPHRASE.')
    const decrypter = new Decrypter()
    decrypter.addIdentity(new Passphrase(passphrase))
    return named(asReadable(await decrypter.decrypt(asWeb(source))))
  } catch (error) {
    source.destroy()
    throw error instanceof PassphraseRefused || error instanceof DamagedBackup
      ? error
      : new DamagedBackup((error as Error).message)
  }
}

/** Modified or truncated data doesn't decrypt. */
async function* named(plain: Readable): AsyncGenerator<Buffer> {
  try {
    yield* plain
  } catch (error) {
    throw (error as NodeJS.ErrnoException).syscall ? error : new DamagedBackup('it was changed or cut off after it was made')
  }
}

/** The first bytes, and a stream of all of them. */
async function peek(stored: AsyncIterable<Buffer>, length: number): Promise<[start: Buffer, all: Readable]> {
  const iterator = stored[Symbol.asyncIterator]()
  let start = Buffer.alloc(0)
  while (start.length < length) {
    const { value, done } = await iterator.next()
    if (done) break
    start = Buffer.concat([start, value])
  }
  const all = async function* () {
    try {
      yield start
      yield* { [Symbol.asyncIterator]: () => iterator }
    } finally {
      await iterator.return?.()
    }
  }
  return [start.subarray(0, length), Readable.from(all(), { objectMode: false })]
}

const asWeb = (stream: Readable) => Readable.toWeb(stream) as unknown as ReadableStream<Uint8Array>
const asReadable = (stream: ReadableStream<Uint8Array>): Readable => Readable.fromWeb(stream as unknown as WebStream)
