import { get } from 'node:http'

/** The results of the events sent so far. */
export interface Heard {
  /** Milliseconds from writing an event until the last client had it, for those that all have. */
  delays: number[]
  /** Over all clients. */
  missed: number
  repeated: number
  disordered: number
}

interface Seat {
  /** Positions in the order of arrival. */
  heard: number[]
}

const seats: Seat[] = []
/** How many have received the event at a position, and how long the last of them waited. */
const reached = new Map<number, { count: number; delay: number }>()

process.on('message', async (message: { port: number; token: string; count: number } | 'tell') => {
  if (message === 'tell') return process.send!(summary())
  const { port, token, count } = message
  // Not all at the same moment: that would measure the accept queue.
  for (let taken = 0; taken < count; taken += 50)
    await Promise.all(Array.from({ length: Math.min(50, count - taken) }, () => sit(port, token)))
  process.send!('seated')
})

const sit = (port: number, token: string) =>
  new Promise<void>((resolve, reject) => {
    const headers = { authorization: `Bearer ${token}` }
    get({ host: '127.0.0.1', port, path: '/api/v1/workspace/events/stream', headers, agent: false }, (response) => {
      if (response.statusCode !== 200) return reject(new Error(`The stream answers ${response.statusCode}.`))
      const seat: Seat = { heard: [] }
      seats.push(seat)
      let text = ''
      response.setEncoding('utf8').on('data', (chunk: string) => {
        const frames = (text + chunk).split('\n\n')
        text = frames.pop()!
        for (const frame of frames) hear(seat, frame)
        resolve()
      })
      response.on('close', () => process.exit(1))
    }).on('error', reject)
  })

function hear({ heard }: Seat, frame: string) {
  const [, id, written] = /^id: (\d+)\ndata: .*“at (\d+)”/.exec(frame) ?? []
  if (id === undefined) return
  heard.push(Number(id))
  const event = reached.get(Number(id)) ?? { count: 0, delay: 0 }
  reached.set(Number(id), { count: event.count + 1, delay: Date.now() - Number(written) })
}

function summary(): Heard {
  const sum: Heard = { delays: [], missed: 0, repeated: 0, disordered: 0 }
  for (const { count, delay } of reached.values()) if (count >= seats.length) sum.delays.push(delay)
  for (const { heard } of seats) {
    const different = new Set(heard).size
    sum.missed += reached.size - different
    sum.repeated += heard.length - different
    sum.disordered += heard.filter((id, place) => place > 0 && id < heard[place - 1]!).length
  }
  return sum
}
