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
/** Milliseconds of processor time. */
export interface Allowance {
  start: number
  ofSample: number
  ofByte: number
}
/**
 * Several times what sounds need. Some bytes make a decoder five times as slow for all that follows: five minutes in eight kilobytes took
 * three seconds.
 */
const ALLOWANCE: Allowance = { start: 1_000, ofSample: 45e-6, ofByte: 1e-3 }

/** Each sound needs a decoder. */
const SOUNDS_MAX = 50

export const readOgg = async (bytes: Buffer): Promise<Made> => drawWaveform(columnsOf(await measureOgg(bytes), WIDTH))

/** Measures what is decoded; the length that the file claims doesn't count. */
export async function measureOgg(file: Buffer, allowance = ALLOWANCE): Promise<MeasuredSound[]> {
  const sounds = soundsOf(file)
  if (sounds.length === 0) throw new NoPreview('Ogg files have a waveform if their sound is Vorbis or Opus. Upload a picture.')
  if (sounds.length > SOUNDS_MAX) throw new NoPreview('The file has too many sounds for a waveform. Upload a picture.')
  let samplesLeft = SAMPLES_MAX
  let left = allowance.start
  const spend: Spend = ({ samples = 0, bytes = 0, milliseconds = 0 }) => {
    samplesLeft -= samples
    left += samples * allowance.ofSample + bytes * allowance.ofByte - milliseconds
    if (left < 0) throw new NoPreview('The sound takes too long to decode. It may be damaged. Upload a picture.')
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

type Spend = (spent: { samples?: number; bytes?: number; milliseconds?: number }) => void

async function measure(sound: OggPage, file: Buffer, spend: Spend): Promise<MeasuredSound> {
  const head = headOf(sound)
  const decoder = await (isVorbis(head) ? vorbisDecoder(head) : opusDecoder(head))
  const peaks = new Peaks()
  let end = Number.POSITIVE_INFINITY
  const take: Take = (channels, samples) => {
    spend({ samples: samples * channels.length })
    peaks.add(channels, samples)
  }
  let began = process.cpuUsage()
  for (const page of pagesOf(file)) {
    const { user, system } = process.cpuUsage(began)
    began = process.cpuUsage()
    spend({ milliseconds: (user + system) / 1_000 })
    if (page.serial !== sound.serial) continue
    spend({ bytes: page.bytes.length })
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
