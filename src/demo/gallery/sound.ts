import { Random } from '../random.ts'
import type { Subject } from './pictures.ts'

const RATE = 16_000
const SECONDS = 2.4

/** A few notes over noise, as a wav file. A later version is shorter and louder. */
export function soundOf({ path, version }: Subject): Buffer<ArrayBuffer> {
  const random = new Random(path)
  const notes = Array.from({ length: 5 }, () => 110 * 2 ** (random.whole(0, 24) / 12))
  const count = Math.round(RATE * (SECONDS - 0.15 * (version % 4)))
  const volume = 0.45 + 0.12 * (version % 4)
  const samples = Buffer.alloc(2 * count)
  for (let i = 0; i < count; i++) {
    const place = (i / count) * notes.length
    const note = notes[Math.min(notes.length - 1, Math.floor(place))]!
    const fade = Math.exp(-3 * (place % 1)) * Math.min(1, (place % 1) * 30)
    const noise = (random.next() - 0.5) * 0.12
    samples.writeInt16LE(Math.round(32_000 * volume * (fade * Math.sin((2 * Math.PI * note * i) / RATE) + noise)), 2 * i)
  }
  const head = Buffer.alloc(44)
  head.write('RIFF', 'latin1')
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8, 'latin1')
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(2 * RATE, 28)
  head.writeUInt16LE(2, 32)
  head.writeUInt16LE(16, 34)
  head.write('data', 36, 'latin1')
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}
