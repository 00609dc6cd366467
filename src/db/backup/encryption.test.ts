import { randomBytes } from 'node:crypto'
import { Readable } from 'node:stream'
import { gunzipSync, gzipSync } from 'node:zlib'
import { Decrypter, Encrypter } from 'age-encryption'
import { expect, test } from 'vitest'
import { packed, unpacked } from './encryption.ts'

const PASSPHRASE = 'correct horse battery staple'
/** More than one block of 64 KiB, and incompressible. */
const ARCHIVE = randomBytes(300_000)

async function all(source: AsyncIterable<Buffer>): Promise<Buffer> {
  const read: Buffer[] = []
  for await (const piece of source) read.push(piece)
  return Buffer.concat(read)
}
const pieces = (bytes: Buffer, size = 10_000) =>
  Readable.from(Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.subarray(i * size, (i + 1) * size)))
const pack = (passphrase?: string) => all(packed(pieces(ARCHIVE), passphrase))
const unpack = (bytes: Buffer, passphrase?: string, size?: number) => all(unpacked(pieces(bytes, size), passphrase))

test('data packed with a passphrase can be unpacked with it, in any chunks', async () => {
  const stored = await pack(PASSPHRASE)
  for (const size of [7, 1_000, 10_000_000]) expect((await unpack(stored, PASSPHRASE, size)).equals(ARCHIVE)).toBe(true)
  expect(stored.includes(ARCHIVE.subarray(1_000, 1_050))).toBe(false)
})

test('without a passphrase it is only compressed, and a given one is ignored', async () => {
  const stored = await pack()
  expect(gunzipSync(stored).equals(ARCHIVE)).toBe(true)
  expect((await unpack(stored, PASSPHRASE)).equals(ARCHIVE)).toBe(true)
})

test('the age library decrypts our files with the passphrase, and we decrypt its files', async () => {
  const decrypter = new Decrypter()
  decrypter.addPassphrase(PASSPHRASE)
  expect(gunzipSync(await decrypter.decrypt(await pack(PASSPHRASE))).equals(ARCHIVE)).toBe(true)
  const encrypter = new Encrypter()
  encrypter.setPassphrase(PASSPHRASE)
  encrypter.setScryptWorkFactor(12)
  expect((await unpack(Buffer.from(await encrypter.encrypt(gzipSync(ARCHIVE))), PASSPHRASE)).equals(ARCHIVE)).toBe(true)
})

test('a wrong or missing passphrase, and a file for a key, are refused with one line', async () => {
  const stored = await pack(PASSPHRASE)
  await expect(unpack(stored, 'another passphrase')).rejects.toThrow(
    'The passphrase is not the one that this backup was encrypted with.',
  )
  await expect(unpack(stored)).rejects.toThrow('This backup is encrypted: give --passphrase-file, or set BACKUP_PASSPHRASE.')
  const encrypter = new Encrypter()
  encrypter.addRecipient('age1ql3z7hjy54pw3hyww5ayyfg7zqgvc7w3j2elw8zmrj2kg5sfn9aqmcac8p')
  await expect(unpack(Buffer.from(await encrypter.encrypt(gzipSync(ARCHIVE))), PASSPHRASE)).rejects.toThrow(
    'This backup is encrypted for a key, not with a passphrase',
  )
})

test.each([
  ['cut off', (stored: Buffer) => stored.subarray(0, -1)],
  ['cut off between two blocks', (stored: Buffer) => stored.subarray(0, stored.length - (stored.length % 65_552))],
  [
    'changed in the middle',
    (stored: Buffer) => {
      const changed = Buffer.from(stored)
      changed[150_000]! ^= 1
      return changed
    },
  ],
])('a file that was %s is not accepted as a complete backup', async (_, damage) => {
  await expect(unpack(damage(await pack(PASSPHRASE)), PASSPHRASE)).rejects.toThrow('This is no whole backup')
})

test('a header that demands more work than we ever ask for is refused before any of it', async () => {
  const stored = (await pack(PASSPHRASE)).toString('latin1')
  const demanding = Buffer.from(stored.replace(/(-> scrypt \S+) 17\n/, '$1 21\n'), 'latin1')
  await expect(unpack(demanding, PASSPHRASE)).rejects.toThrow('its header cannot be read')
})
