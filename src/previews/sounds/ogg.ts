import { setImmediate as turn } from 'node:timers/promises'
import { type Made, NoPreview } from '../made.ts'
import type { Decoder, Take } from './decoder.ts'
import { drawWaveform, WIDTH } from './draw-waveform.ts'
import { type OggPage, pagesOf } from './ogg-pages.ts'
import { isOpus, opusDecoder } from './opus.ts'
import { columnsOf, type MeasuredSound, Peaks } from './peaks.ts'
import { isVorbis, vorbisDecoder } from './vorbis.ts'

export const isOgg = (bytes: Buffer): boolean => bytes.toString('latin1', 0, 4) === 'OggS'

/** Of all channels: an hour in stereo, which takes some 15 seconds of processor time. */
const SAMPLES_MAX = 2 * 48_000 * 3_600
/** Each sound needs a decoder. */
const SOUNDS_MAX = 50

export const readOgg = async (bytes: Buffer): Promise<Made> => drawWaveform(columnsOf(await measureOgg(bytes), WIDTH))

/** Measures what is decoded; the length that the file claims doesn't count. */
export async function measureOgg(file: Buffer): Promise<MeasuredSound[]> {
  const sounds = soundsOf(file)
  if (sounds.length === 0) throw new NoPreview('Ogg files have a waveform if their sound is Vorbis or Opus. Upload a picture.')
  if (sounds.length > SOUNDS_MAX) throw new NoPreview('The file has too many sounds for a waveform. Upload a picture.')
  let samplesLeft = SAMPLES_MAX
  const spend = (samples: number) => {
    samplesLeft -= samples
    if (samplesLeft < 0) throw new NoPreview('The sound is too long for a waveform: over an hour. Upload a picture.')
  }
  const measured: MeasuredSound[] = []
  for (const [i, sound] of sounds.entries())
    measured.push(await measure(sound, file.subarray(sound.at, sounds[i + 1]?.at), spend))
  const heard = measured.filter(({ samples }) => samples > 0)
  if (heard.length === 0) throw new NoPreview('The sound is empty, damaged or cut off.')
  return heard
}

/** The first pages of sounds that are played one after the other. Of several at the same time, it is the first. */
function soundsOf(file: Buffer): OggPage[] {
  const sounds: OggPage[] = []
  let isAmongFirst: boolean = false
  for (const page of pagesOf(file)) {
    const isNext: boolean = page.isFirst && !isAmongFirst && (isVorbis(headOf(page)) || isOpus(headOf(page)))
    if (isNext) sounds.push(page)
    isAmongFirst = page.isFirst && (isAmongFirst || isNext)
    if (sounds.length > SOUNDS_MAX) break
  }
  return sounds
}

const headOf = ({ pieces }: OggPage): Buffer => pieces[0]?.bytes ?? Buffer.alloc(0)

async function measure(sound: OggPage, file: Buffer, spend: (samples: number) => void): Promise<MeasuredSound> {
  const head = headOf(sound)
  const decoder = await (isVorbis(head) ? vorbisDecoder(head) : opusDecoder(head))
  const peaks = new Peaks()
  let end = Number.POSITIVE_INFINITY
  const take: Take = (channels, samples) => {
    spend(samples * channels.length)
    peaks.add(channels, samples)
  }
  for (const page of pagesOf(file)) {
    if (page.serial !== sound.serial) continue
    if (!(await decoded(() => decoder.decode(page, take)))) break
    if (page.isLast) end = page.position - decoder.skipped
    // Between the pages, the process looks at its memory.
    await turn()
  }
  await decoded(() => decoder.end(take))
  decoder.free()
  // The last packet may be longer than the sound.
  return { peaks, samples: Math.max(0, Math.min(peaks.samples, end)), rate: decoder.rate }
}

/** Whether a decoder can go on: a damaged page may end it, and what came before is drawn. */
async function decoded(decode: () => ReturnType<Decoder['decode']>): Promise<boolean> {
  try {
    await decode()
    return true
  } catch (error) {
    if (error instanceof NoPreview) throw error
    return false
  }
}
