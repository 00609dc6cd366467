import { type Made, NoPreview } from '../made.ts'
import { drawWaveform, WIDTH } from './draw-waveform.ts'

export const isWav = (bytes: Buffer): boolean =>
  bytes.toString('latin1', 0, 4) === 'RIFF' && bytes.toString('latin1', 8, 12) === 'WAVE'

const PCM = 1
const FLOAT = 3
const EXTENSIBLE = 0xfffe
/** As many samples of each column are looked at: a long file costs no more than a short one. */
const SAMPLES_OF_COLUMN = 500

export const readWav = (bytes: Buffer): Promise<Made> => drawWaveform(peaksOf(bytes))

/** The loudest sample of each column, from 0 to 1, of all channels. */
export function peaksOf(bytes: Buffer): Float64Array {
  const { format, channels, bits, from, until } = chunksOf(bytes)
  const size = bits / 8
  const sampleAt = SAMPLES[`${format} ${bits}`]
  if (!sampleAt || channels < 1 || channels > 64)
    throw new NoPreview('Sounds have a waveform if they are wav files with uncompressed samples. Upload a picture.')
  const frames = Math.floor((until - from) / (size * channels))
  if (frames === 0) throw new NoPreview('The sound is empty.')
  const peaks = new Float64Array(WIDTH)
  for (let x = 0; x < WIDTH; x++) {
    const first = Math.floor((x * frames) / WIDTH)
    const last = Math.max(first + 1, Math.floor(((x + 1) * frames) / WIDTH))
    const step = Math.max(1, Math.floor((last - first) / SAMPLES_OF_COLUMN))
    for (let frame = first; frame < last; frame += step)
      for (let channel = 0; channel < channels; channel++) {
        const level = Math.abs(sampleAt(bytes, from + (frame * channels + channel) * size))
        if (level > peaks[x]!) peaks[x] = Math.min(1, level)
      }
  }
  return peaks
}

const SAMPLES: Record<string, (bytes: Buffer, at: number) => number> = {
  [`${PCM} 8`]: (bytes, at) => bytes[at]! / 128 - 1,
  [`${PCM} 16`]: (bytes, at) => bytes.readInt16LE(at) / 0x8000,
  [`${PCM} 24`]: (bytes, at) => bytes.readIntLE(at, 3) / 0x800000,
  [`${PCM} 32`]: (bytes, at) => bytes.readInt32LE(at) / 0x80000000,
  [`${FLOAT} 32`]: (bytes, at) => bytes.readFloatLE(at),
  [`${FLOAT} 64`]: (bytes, at) => bytes.readDoubleLE(at),
}

function chunksOf(bytes: Buffer) {
  let described: { format: number; channels: number; bits: number } | undefined
  for (let at = 12; at + 8 <= bytes.length; ) {
    const name = bytes.toString('latin1', at, at + 4)
    const from = at + 8
    // Recorders that were cut off write no length, or a wrong one.
    const until = Math.min(bytes.length, from + bytes.readUInt32LE(at + 4))
    if (name === 'fmt ' && until - from >= 16) {
      const format = bytes.readUInt16LE(from)
      described = {
        format: format === EXTENSIBLE && until - from >= 26 ? bytes.readUInt16LE(from + 24) : format,
        channels: bytes.readUInt16LE(from + 2),
        bits: bytes.readUInt16LE(from + 14),
      }
    }
    if (name === 'data' && described) return { ...described, from, until }
    at = until + (until % 2)
  }
  throw new NoPreview('The sound is damaged or cut off.')
}
