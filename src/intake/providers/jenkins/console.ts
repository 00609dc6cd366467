import { LOG_MAX } from '../../../contract/limits.ts'
import type { JenkinsServer } from './server.ts'

/** What a build printed since an offset, and where to go on. */
interface Printed {
  text: string
  /** Takes the place of everything known so far: it begins anew, or too much was skipped to join on. */
  anew: boolean
  offset: number
  /** Jenkins says that more will come. */
  more: boolean
}

/** Holds the tail we keep even when every character takes four bytes, and Jenkins' hidden notes between them. */
const WINDOW = 4 * 1024 * 1024
/** Text may grow when Jenkins turns its own encoding into UTF-8. */
const LIMIT = 4 * WINDOW
/** While a build runs Jenkins hands out 10,000 lines at a time. */
const READS = 50
/** Of a slow server no more is read in one go; the next look goes on from there. */
const BUDGET_MS = 15_000

export async function readConsole(server: JenkinsServer, build: string, from: number): Promise<Printed> {
  let printed: Printed = { text: '', anew: from === 0, offset: from, more: true }
  const until = performance.now() + BUDGET_MS
  for (let reads = 0; reads < READS && printed.more && performance.now() < until; reads++) {
    const next = await readOn(server, build, printed.offset)
    const still = next.text === '' && next.offset === printed.offset
    printed = {
      ...next,
      anew: printed.anew || next.anew,
      text: next.anew ? next.text : (printed.text + next.text).slice(-2 * LOG_MAX),
    }
    if (still) break
  }
  return printed
}

async function readOn(server: JenkinsServer, build: string, from: number): Promise<Printed> {
  let far: number | undefined
  const got = await server.find(consoleAt(build, from), {
    limit: LIMIT,
    wanted: (status, headers) => {
      const size = sizeIn(headers)
      if (status === 200 && size - from > WINDOW) far = size - WINDOW
      return far === undefined
    },
  })
  // A log that was thrown away, or that this build never had.
  if (got === undefined) return { text: '', anew: false, offset: from, more: false }
  if (far !== undefined) return skipTo(server, build, far)
  const size = sizeIn(got.headers)
  return { text: got.body.toString('utf8'), anew: size < from, offset: size, more: got.headers['x-more-data'] === 'true' }
}

/** Goes on close to the end; the first line may be half a line. */
async function skipTo(server: JenkinsServer, build: string, from: number): Promise<Printed> {
  const got = await server.get(consoleAt(build, from), { limit: LIMIT })
  const text = got.body.toString('utf8')
  return {
    text: text.slice(text.indexOf('\n') + 1),
    anew: true,
    offset: sizeIn(got.headers),
    more: got.headers['x-more-data'] === 'true',
  }
}

const consoleAt = (build: string, from: number) => `${build}logText/progressiveText?start=${from}`

const sizeIn = (headers: { [name: string]: string | string[] | undefined }): number => {
  const size = Number(headers['x-text-size'])
  return Number.isSafeInteger(size) && size >= 0 ? size : 0
}
