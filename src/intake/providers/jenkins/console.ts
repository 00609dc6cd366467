import { LOG_MAX } from '../../../contract/limits.ts'
import type { JenkinsServer } from './server.ts'

/** What a build printed since an offset, and where to continue. */
interface Printed {
  text: string
  /** Replaces everything read so far: the log starts over, or too much was skipped to append. */
  anew: boolean
  offset: number
  /** Jenkins reports that more will come. */
  more: boolean
}

/** Large enough for the kept tail even if every character has four bytes, and for Jenkins' hidden notes between them. */
const WINDOW = 4 * 1024 * 1024
/** Text may grow when Jenkins converts its encoding to UTF-8. */
const LIMIT = 4 * WINDOW
/** While a build runs Jenkins returns 10,000 lines at a time. */
const READS = 50
/** The time limit of one poll of a slow server; the next poll continues from there. */
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
  // A log that was deleted, or that this build never had.
  if (got === undefined) return { text: '', anew: false, offset: from, more: false }
  if (far !== undefined) return skipTo(server, build, far)
  const size = sizeIn(got.headers)
  return { text: got.body.toString('utf8'), anew: size < from, offset: size, more: got.headers['x-more-data'] === 'true' }
}

/** Continues close to the end; the first line may be incomplete. */
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
