/** An Ogg page with one packet and how many samples there are up to its end. */
function page(samples: number, packet: Buffer): Buffer {
  const head = Buffer.alloc(28)
  head.write('OggS', 'latin1')
  head.writeBigInt64LE(BigInt(samples), 6)
  head[26] = 1
  head[27] = packet.length
  return Buffer.concat([head, packet])
}

/** A sound with its head and its last page; the samples between are nothing. */
export function oggVorbis(seconds: number, rate = 44_100): Buffer {
  const packet = Buffer.alloc(30)
  packet.write('\x01vorbis', 'latin1')
  packet[11] = 2
  packet.writeUInt32LE(rate, 12)
  return Buffer.concat([page(0, packet), page(seconds * rate, Buffer.alloc(40))])
}

/** Opus counts at 48 kHz, and the samples that are skipped at the start. */
export function oggOpus(seconds: number, skipped = 4_800): Buffer {
  const packet = Buffer.alloc(30)
  packet.write('OpusHead', 'latin1')
  packet[8] = 1
  packet[9] = 2
  packet.writeUInt16LE(skipped, 10)
  packet.writeUInt32LE(44_100, 12)
  return Buffer.concat([page(0, packet), page(seconds * 48_000 + skipped, Buffer.alloc(40))])
}
