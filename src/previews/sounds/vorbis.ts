import { checkChannels, type Decoder, missing } from './decoder.ts'

export const isVorbis = (head: Buffer): boolean => head.length >= 30 && head.toString('latin1', 0, 7) === '\x01vorbis'

/** Decodes the stream whose first packet is given. */
export async function vorbisDecoder(head: Buffer): Promise<Decoder> {
  checkChannels(head[11]!)
  const rate = head.readUInt32LE(12)
  if (rate === 0) throw new Error('A sound without a rate.')
  const { OggVorbisDecoder } = await import('@wasm-audio-decoders/ogg-vorbis').catch(missing('@wasm-audio-decoders/ogg-vorbis'))
  const decoder = new OggVorbisDecoder()
  await decoder.ready
  return {
    rate,
    skipped: 0,
    async decode({ bytes }, take) {
      const { channelData, samplesDecoded } = await decoder.decode(bytes)
      if (samplesDecoded > 0) take(channelData, samplesDecoded)
    },
    async end(take) {
      const { channelData, samplesDecoded } = await decoder.flush()
      if (samplesDecoded > 0) take(channelData, samplesDecoded)
    },
    free: () => decoder.free(),
  }
}
