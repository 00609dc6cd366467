/**
 * SHA-256 of bytes that arrive in pieces, on whichever node. Node's own hash can't be stored between two pieces; this one is 104 bytes: the eight
 * words of its state, the count of bytes, and those that don't fill a block yet.
 */
const BLOCK = 64
const WORDS = 32
const STATE = WORDS + 8 + BLOCK

/** The first bits of the fractional parts of roots of the first primes, as the standard defines them. */
const [START, ROUNDS] = constants()

/** Signed, since that is what the machine adds. */
function constants(): [Int32Array, Int32Array] {
  const primes: number[] = []
  for (let n = 2; primes.length < 64; n++) if (primes.every((prime) => n % prime !== 0)) primes.push(n)
  const fraction = (root: number) => Math.floor((root - Math.floor(root)) * 2 ** 32)
  return [
    Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime))),
    Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime))),
  ]
}

interface Running {
  words: Int32Array
  bytes: number
  rest: Buffer
}

function open(state: Buffer | null): Running {
  if (state === null) return { words: START.slice(), bytes: 0, rest: Buffer.alloc(0) }
  const bytes = Number(state.readBigUInt64BE(WORDS))
  const words = Int32Array.from({ length: 8 }, (_, i) => state.readInt32BE(4 * i))
  return { words, bytes, rest: state.subarray(WORDS + 8, WORDS + 8 + (bytes % BLOCK)) }
}

/** As much as is read before others get their turn: a few milliseconds. */
const TURN = 512 * 1024

/** The state after more bytes; null: of none. */
export async function addBytes(state: Buffer | null, more: Buffer): Promise<Buffer> {
  const { words, bytes, rest } = open(state)
  const all = rest.length === 0 ? more : Buffer.concat([rest, more])
  const full = all.length - (all.length % BLOCK)
  for (let at = 0; at < full; at += TURN) {
    if (at > 0) await new Promise(setImmediate)
    mix(words, all, at, Math.min(full, at + TURN))
  }
  const next = Buffer.alloc(STATE)
  for (const [i, word] of words.entries()) next.writeInt32BE(word, 4 * i)
  next.writeBigUInt64BE(BigInt(bytes + more.length), WORDS)
  all.copy(next, WORDS + 8, full)
  return next
}

/** The hash of what was added. */
export function hashOf(state: Buffer): Buffer {
  const { words, bytes, rest } = open(state)
  const end = Buffer.alloc(rest.length < BLOCK - 8 ? BLOCK : 2 * BLOCK)
  rest.copy(end)
  end[rest.length] = 0x80
  end.writeBigUInt64BE(BigInt(bytes) * 8n, end.length - 8)
  mix(words, end, 0, end.length)
  const hash = Buffer.alloc(WORDS)
  for (const [i, word] of words.entries()) hash.writeInt32BE(word, 4 * i)
  return hash
}

const schedule = new Int32Array(BLOCK)

/** The rounds of whole blocks. */
function mix(words: Int32Array, bytes: Buffer, from: number, until: number) {
  const [w, k] = [schedule, ROUNDS]
  for (let at = from; at < until; at += BLOCK) {
    for (let i = 0, p = at; i < 16; i++, p += 4)
      w[i] = (bytes[p]! << 24) | (bytes[p + 1]! << 16) | (bytes[p + 2]! << 8) | bytes[p + 3]!
    for (let i = 16; i < BLOCK; i++) {
      const x = w[i - 15]!
      const y = w[i - 2]!
      const s0 = ((x >>> 7) | (x << 25)) ^ ((x >>> 18) | (x << 14)) ^ (x >>> 3)
      const s1 = ((y >>> 17) | (y << 15)) ^ ((y >>> 19) | (y << 13)) ^ (y >>> 10)
      w[i] = (w[i - 16]! + s0 + w[i - 7]! + s1) | 0
    }
    let a = words[0]!
    let b = words[1]!
    let c = words[2]!
    let d = words[3]!
    let e = words[4]!
    let f = words[5]!
    let g = words[6]!
    let h = words[7]!
    for (let i = 0; i < BLOCK; i++) {
      const s1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
      const t1 = (h + s1 + ((e & f) ^ (~e & g)) + k[i]! + w[i]!) | 0
      const s0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
      const t2 = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
      h = g
      g = f
      f = e
      e = (d + t1) | 0
      d = c
      c = b
      b = a
      a = (t1 + t2) | 0
    }
    words[0]! += a
    words[1]! += b
    words[2]! += c
    words[3]! += d
    words[4]! += e
    words[5]! += f
    words[6]! += g
    words[7]! += h
  }
}
