interface PageParts {
  packets: readonly Buffer[]
  serial?: number
  /** In samples, up to the end of the page. */
  position?: number
  isFirst?: boolean
  isLast?: boolean
}

/** A page of Ogg with whole packets, each shorter than 255 bytes. */
export function oggPage({ packets, serial = 7, position = 0, isFirst = false, isLast = false }: PageParts): Buffer {
  const head = Buffer.alloc(27)
  head.write('OggS', 'latin1')
  head[5] = (isFirst ? 2 : 0) + (isLast ? 4 : 0)
  head.writeBigInt64LE(BigInt(position), 6)
  head.writeUInt32LE(serial, 14)
  head[26] = packets.length
  return Buffer.concat([head, Buffer.from(packets.map(({ length }) => length)), ...packets])
}

/** The first packet of a sound in Vorbis. */
export function vorbisHead({ channels = 2, rate = 44_100 } = {}): Buffer {
  const head = Buffer.alloc(30)
  head.write('\x01vorbis', 'latin1')
  head[11] = channels
  head.writeUInt32LE(rate, 12)
  head[28] = 0xb8
  head[29] = 1
  return head
}

/** The first packet of a sound in Opus. */
export function opusHead({ channels = 1 } = {}): Buffer {
  const head = Buffer.alloc(19)
  head.write('OpusHead', 'latin1')
  head[8] = 1
  head[9] = channels
  head.writeUInt32LE(48_000, 12)
  return head
}

/** Opus that lasts 120 ms for each two bytes: 48 silent frames. */
export function silentOpus({ minutes = 0, serial = 7 }: { minutes?: number; serial?: number }): Buffer {
  const silence = oggPage({ packets: Array(250).fill(Buffer.from([0xe3, 48])), serial })
  return Buffer.concat([
    oggPage({ packets: [opusHead()], serial, isFirst: true }),
    oggPage({ packets: [Buffer.from('OpusTags')], serial }),
    ...Array(Math.ceil(minutes * 2)).fill(silence),
  ])
}
