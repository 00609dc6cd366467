const NAMED = /token|secret|passw|api_?key|private_?key|access_?key|credential|passphrase/i
/** Shorter values occur in every log by chance. */
const SHORTEST = 8

/**
 * Values in the environment that must not be sent. A CI masks them in its own log, but only after us. Each line of a multi-line value, such
 * as a key, counts.
 */
export function secretsIn(env: NodeJS.ProcessEnv, token: string | undefined): string[] {
  const values = Object.entries(env).flatMap(([name, value]) => (NAMED.test(name) ? (value ?? '').split(/\r?\n/) : []))
  const worthy = [...values, token ?? ''].map((value) => value.trim()).filter((value) => value.length >= SHORTEST)
  // The longest first: one may contain another. Paths and switches are not secrets, whatever their name.
  return [...new Set(worthy)].filter((value) => !/^(?:true|false|\/|[A-Z]:\\)/i.test(value)).sort((a, b) => b.length - a.length)
}

/** Replaces them with stars, byte for byte: every other byte keeps its offset. */
export class Mask {
  readonly #secrets: string[]
  /** The length of the longest in bytes: this many bytes after an end may still complete one before it. */
  readonly longest: number

  constructor(secrets: readonly string[]) {
    this.#secrets = secrets.map((secret) => Buffer.from(secret).toString('latin1'))
    this.longest = Math.max(0, ...this.#secrets.map(({ length }) => length))
  }

  hide(bytes: Buffer): Buffer {
    const text = bytes.toString('latin1')
    const found = this.#secrets.filter((secret) => text.includes(secret))
    if (found.length === 0) return bytes
    const hidden = found.reduce((rest, secret) => rest.replaceAll(secret, '*'.repeat(secret.length)), text)
    return Buffer.from(hidden, 'latin1')
  }
}
