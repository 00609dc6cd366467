import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import type { Job, Outcome } from './load.ts'

// Runs in a separate process and uses plain HTTP over plain sockets, so that requests cost as little as possible.
process.on('message', async (message: Job | 'stop') => {
  if (message === 'stop') end = 0
  else process.send!(await run(message))
})

/** When the running job ends, by this process's clock. */
let end = 0

async function run({ port, connections, requests, seconds, most }: Job): Promise<Outcome> {
  end = performance.now() + seconds * 1000
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)))
  const bytes = requests.map((request) => Buffer.from(request))
  const latencies: number[] = []
  const failures: string[] = []
  let asked = 0
  const start = performance.now()
  const next = () => (asked < most && performance.now() < end ? bytes[asked++ % bytes.length] : undefined)
  await Promise.all(sockets.map((socket) => converse(socket, next, latencies, failures)))
  const elapsed = (performance.now() - start) / 1000
  for (const socket of sockets) socket.destroy()
  latencies.sort((a, b) => a - b)
  const share = (part: number) => latencies[Math.floor((latencies.length - 1) * part)] ?? Number.NaN
  return { answered: latencies.length, seconds: elapsed, p50: share(0.5), p99: share(0.99), failures: failures.slice(0, 3) }
}

const open = (port: number) =>
  new Promise<Socket>((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => resolve(socket.off('error', reject)))
    socket.setNoDelay(true).once('error', reject)
  })

const HEAD_END = Buffer.from('\r\n\r\n')

/** One request after the other on one connection, each sent after the complete previous response. */
function converse(socket: Socket, next: () => Buffer | undefined, latencies: number[], failures: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    let head = Buffer.alloc(0)
    let missing = -1
    let sent = 0
    const ask = () => {
      const request = next()
      if (!request) return resolve()
      sent = performance.now()
      socket.write(request)
    }
    const answered = () => {
      latencies.push(performance.now() - sent)
      missing = -1
      head = Buffer.alloc(0)
      ask()
    }
    socket.on('data', (chunk) => {
      if (missing >= 0) missing -= chunk.length
      else {
        head = head.length === 0 ? chunk : Buffer.concat([head, chunk])
        const split = head.indexOf(HEAD_END)
        if (split < 0) return
        const text = head.toString('latin1', 0, split)
        const length = /\r\ncontent-length: (\d+)/i.exec(text)?.[1]
        if (length === undefined) return reject(new Error(`An answer without a length: ${text}`))
        if (text[9] !== '2') failures.push(head.toString())
        missing = split + HEAD_END.length + Number(length) - head.length
      }
      if (missing === 0) answered()
    })
    socket.once('close', () => reject(new Error('The server closed a connection.')))
    socket.once('error', reject)
    ask()
  })
}
