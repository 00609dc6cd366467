import { once } from 'node:events'
import { createWriteStream } from 'node:fs'
import { rename, stat } from 'node:fs/promises'
import { Failure } from '../../terminal/failures.ts'
import { AGENT } from './requests.ts'
import { begin, headOf } from './transport.ts'

const ATTEMPTS = 5
const IDLE_MS = 60_000

interface Download {
  url: URL
  token: string
  /** Of the whole file. */
  size: number
  /** Where it is saved once it is complete. */
  file: string
}

/** Downloads a file that never changes, with one piece in memory. What an interrupted download left is continued. */
export async function download({ url, token, size, file }: Download): Promise<void> {
  const part = `${file}.part`
  for (let attempt = 1; ; attempt++) {
    const have = await sizeOf(part)
    if (have === size) break
    try {
      await continueAt(have > size ? 0 : have, { url, token, size, file: part })
    } catch (error) {
      if (error instanceof Failure || attempt === ATTEMPTS) throw error
      await new Promise((go) => setTimeout(go, 500 * 2 ** attempt))
    }
  }
  await rename(part, file)
}

const sizeOf = (file: string) =>
  stat(file).then(
    ({ size }) => size,
    () => 0,
  )

async function continueAt(from: number, { url, token, file }: Download) {
  const headers = { authorization: `Bearer ${token}`, 'user-agent': AGENT, ...(from > 0 && { range: `bytes=${from}-` }) }
  const request = await begin(url, { headers })
  request.setTimeout(IDLE_MS, () => request.destroy(new Error(`${url.origin} sent nothing for ${IDLE_MS / 1000} s.`)))
  const response = await headOf(request, url.origin)
  if (response.statusCode !== 200 && response.statusCode !== 206) {
    response.resume()
    throw new Failure(
      response.statusCode === 404
        ? 'The artifact was deleted meanwhile.'
        : `${url.origin} answered ${response.statusCode} to the download.`,
    )
  }
  const into = createWriteStream(file, { flags: response.statusCode === 206 ? 'a' : 'w' })
  try {
    for await (const piece of response) if (!into.write(piece)) await once(into, 'drain')
  } finally {
    into.end()
    await once(into, 'close')
  }
}
