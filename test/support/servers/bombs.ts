import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'

export const MIB = 1024 * 1024

const wide = gzipSync(`[${'{},'.repeat(1.2 * MIB)}0]`)
const deep = gzipSync(`${'['.repeat(3 * MIB)}`)
export const blank = gzipSync(Buffer.alloc(64 * MIB, ' '))
const keys = gzipSync(`{${Array.from({ length: 400_000 }, (_, i) => `"k${i}":0`).join()}}`)
const page = gzipSync(
  JSON.stringify(Array.from({ length: 2_000 }, (_, i) => ({ id: i, filename: `a/${i}`, sha: `${i}`.padStart(40, '0') }))),
)

const packed = (reply: ServerResponse, body: Buffer, headers: Record<string, string> = {}) =>
  reply.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip', ...headers }).end(body)

/** What a server of the attacker answers to whatever is asked. */
export const ANSWERS: Record<string, (reply: ServerResponse, url: string, asked: number) => unknown> = {
  wide: (reply) => packed(reply, wide),
  deep: (reply) => packed(reply, deep),
  blank: (reply) => packed(reply, blank),
  keys: (reply) => packed(reply, keys),
  endless: (reply, url, asked) =>
    packed(reply, page, {
      link: `<${url}?page=${asked + 1}>; rel="next", <${url}?page=999999>; rel="last"`,
      'x-next-page': String(asked + 1),
    }),
  drip: async (reply) => {
    reply.writeHead(200, { 'content-type': 'application/json' }).write('[')
    for (let i = 0; i < 300 && !reply.destroyed; i++) {
      reply.write('0,')
      await sleep(500)
    }
  },
}
/** What p4 prints for a server of the attacker, which is the user of the integration. */
export const PRINTED: Record<string, string> = {
  wide: `write('{"change":"7","a":[' + '{},'.repeat(${8 * MIB}) + '0]}')`,
  deep: `write('['.repeat(${24 * MIB}))`,
  blank: `write(' '.repeat(${31 * MIB}))`,
  keys: `write('{"change":"7"' + Array.from({ length: 390_000 }, (_, i) => ',"k' + i + '":0').join('') + '}')`,
  lines: `write('{"change":"7","User":"u"}\\n'.repeat(100_000))`,
  endless: `const more = () => process.stdout.write('{"change":"7","User":"u"}\\n'.repeat(1_000), more); more()`,
}
