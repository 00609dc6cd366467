/** Sounds in Ogg. Their samples need a decoder, so only the length is read. */
export const isOgg = (bytes: Buffer): boolean => bytes.length > 58 && bytes.toString('latin1', 0, 4) === 'OggS'

const OPUS_RATE = 48_000

/** Why there is no waveform, with what the container says. */
export function reasonOfOgg(bytes: Buffer, isCut: boolean): string {
  const sound = soundIn(bytes)
  const seconds = sound && !isCut ? lengthOf(bytes, sound) : undefined
  const what = `an Ogg ${sound?.codec ?? 'file'}${sound ? ' sound' : ''}${seconds === undefined ? '' : ` of ${clock(seconds)}`}`
  return `This is ${what}. Waveforms are drawn for uncompressed wav files: upload one, or a picture.`
}

interface Sound {
  codec: 'Vorbis' | 'Opus'
  rate: number
  /** Samples at the start that are not played. */
  skipped: number
}

/** The first packet describes the sound. */
function soundIn(bytes: Buffer): Sound | undefined {
  const at = 27 + bytes[26]!
  if (at + 19 > bytes.length) return undefined
  if (bytes.toString('latin1', at, at + 7) === '\x01vorbis')
    return { codec: 'Vorbis', rate: bytes.readUInt32LE(at + 12), skipped: 0 }
  if (bytes.toString('latin1', at, at + 8) === 'OpusHead')
    return { codec: 'Opus', rate: OPUS_RATE, skipped: bytes.readUInt16LE(at + 10) }
  return undefined
}

/** The last page says how many samples there are. */
function lengthOf(bytes: Buffer, { rate, skipped }: Sound): number | undefined {
  const last = bytes.lastIndexOf('OggS', undefined, 'latin1')
  if (rate === 0 || last + 14 > bytes.length) return undefined
  const samples = Number(bytes.readBigInt64LE(last + 6)) - skipped
  return samples > 0 ? samples / rate : undefined
}

/** `2:05`, or with tenths for short sounds. */
const clock = (seconds: number) =>
  seconds < 60
    ? `${seconds.toFixed(1)} s`
    : `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, '0')} min`
