import { connect } from 'node:net'

const TIMEOUT_MS = 30_000

export interface RawAnswer {
  status: number
  headers: Record<string, string>
  body: string
}

/** Sends raw bytes and reads everything until the other side closes or stops. What comes after the first response stays in its body. */
export function sendBytes(site: string, bytes: string | Buffer | Buffer[]): Promise<RawAnswer> {
  const { hostname, port } = new URL(site)
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname)
    let said = ''
    const done = () => {
      clearTimeout(timer)
      socket.destroy()
      if (said === '') reject(new Error('The server said nothing.'))
      else resolve(readAnswer(said))
    }
    const timer = setTimeout(done, TIMEOUT_MS)
    socket.on('data', (chunk) => {
      said += chunk.toString('utf8')
      if (isWhole(said)) done()
    })
    socket.on('error', () => done())
    socket.on('close', done)
    socket.on('connect', () => {
      for (const part of [bytes].flat()) socket.write(part)
    })
  })
}

function readAnswer(text: string): RawAnswer {
  const [head = '', ...rest] = text.split('\r\n\r\n')
  const [first = '', ...lines] = head.split('\r\n')
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  return { status: Number(first.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}

const isWhole = (text: string) => {
  const { headers, body } = readAnswer(text)
  return headers['content-length'] !== undefined && Buffer.byteLength(body) >= Number(headers['content-length'])
}
