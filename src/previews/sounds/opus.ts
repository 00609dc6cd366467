import { checkChannels, type Decoder, missing } from './decoder.ts'
import { packetJoiner } from './ogg-pages.ts'

export const isOpus = (head: Buffer): boolean => head.length >= 19 && head.toString('latin1', 0, 8) === 'OpusHead'

const RATE = 48_000
/** The input of the decoder, for each channel: 120 ms with 256 kbit/s. */
const PACKET_MAX = 3_840

/** Decodes the stream whose first packet is given. */
export async function opusDecoder(head: Buffer): Promise<Decoder> {
  const channels = head[9]!
  checkChannels(channels)
  const { OpusDecoder } = await import('opus-decoder').catch(missing('opus-decoder'))
  const skipped = head.readUInt16LE(10)
  const decoder = new OpusDecoder({ channels, preSkip: skipped, ...layoutOf(head, channels) })
  await decoder.ready
  const packetsOf = packetJoiner(PACKET_MAX * channels)
  return {
    rate: RATE,
    skipped,
    decode(page, take) {
      for (const packet of packetsOf(page)) {
        if (isHeader(packet)) continue
        const { channelData, samplesDecoded } = quietly(() => decoder.decodeFrame(packet))
        if (samplesDecoded > 0) take(channelData, samplesDecoded)
      }
    },
    end() {},
    free: () => decoder.free(),
  }
}

const isHeader = (packet: Buffer) => /^Opus(?:Head|Tags)/.test(packet.toString('latin1', 0, 8))

/** How the channels of surround sound are stored. */
function layoutOf(head: Buffer, channels: number) {
  const family = head[18]
  if (family === 0 && channels <= 2) return {}
  const channelMappingTable = [...head.subarray(21, 21 + channels)]
  if (channelMappingTable.length < channels) throw new Error('The head of the sound is cut off.')
  return { streamCount: head[19]!, coupledStreamCount: head[20]!, channelMappingTable }
}

/** The decoder writes each damaged packet to the console, which is the service's log. */
function quietly<T>(decode: () => T): T {
  const { error } = console
  console.error = () => {}
  try {
    return decode()
  } finally {
    console.error = error
  }
}
