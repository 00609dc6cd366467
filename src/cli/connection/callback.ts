import { timingSafeEqual } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Failure } from '../../terminal/failures.ts'
import { clean } from '../../terminal/text.ts'

const TIMEOUT_MS = 300_000

const page = (text: string) =>
  `<!doctype html><meta charset="utf-8"><title>Goldmaster</title><body style="font:18px system-ui;margin:20vh auto;max-width:30rem;text-align:center"><p>${text}</p>`

function reply(response: ServerResponse, status: number, text: string) {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': "default-src 'none'; style-src 'unsafe-inline'",
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  })
  response.end(page(text))
}

const same = (given: string, expected: string) => {
  const [a, b] = [Buffer.from(given), Buffer.from(expected)]
  return a.length === b.length && timingSafeEqual(a, b)
}

/** The code in a URL that a browser on another machine was redirected to and could not open. */
function codeIn(pasted: string, state: string): string {
  const said = URL.canParse(pasted) ? new URL(pasted).searchParams : undefined
  const code = said?.get('code')
  if (!said || !code) throw new Failure('This is not the URL your browser ended up on. It starts with http://127.0.0.1')
  if (!same(said.get('state') ?? '', state)) throw new Failure('This URL belongs to another login. Start again: goldmaster login')
  return code
}

/**
 * Listens on this machine for the redirected browser; `begin` gets the port. Other requests are refused. If the browser is on another
 * machine, the result of `paste` is used instead.
 */
export async function awaitCode<T>(
  state: string,
  begin: (port: number) => Promise<T>,
  paste?: (signal: AbortSignal) => Promise<string>,
): Promise<{ code: string; opened: T }> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  let timer: NodeJS.Timeout | undefined
  const asking = new AbortController()
  try {
    const code = new Promise<string>((resolve, reject) => {
      timer = setTimeout(
        () => reject(new Failure('Nobody signed in within 5 minutes. Start again: goldmaster login')),
        TIMEOUT_MS,
      )
      server.on('request', (request, response) => {
        // Any program on this machine may send a request, and `//` has no URL.
        const path = request.url ?? '/'
        const url = URL.canParse(path, 'http://127.0.0.1') ? new URL(path, 'http://127.0.0.1') : undefined
        if (request.method !== 'GET' || url?.pathname !== '/callback') return reply(response, 404, 'Page not found.')
        const said = url.searchParams
        if (!same(said.get('state') ?? '', state))
          return reply(response, 400, 'This sign-in belongs to another login. Go back to the terminal and start again.')
        const error = said.get('error')
        const code = said.get('code')
        if (error === null && code) {
          reply(response, 200, 'You are signed in. Close this page and return to the terminal.')
          return resolve(code)
        }
        reply(response, 200, 'Access denied. Close this page and return to the terminal.')
        reject(
          new Failure(
            error === 'access_denied'
              ? 'The login was denied in the browser. To try again, run: goldmaster login'
              : `The login failed: ${clean(error ?? 'the response has no code')}`,
          ),
        )
      })
    })
    // Awaited below; until then it must not count as an unhandled rejection.
    code.catch(() => {})
    const opened = await begin((server.address() as AddressInfo).port)
    const pasted = paste?.(asking.signal).then((text) => codeIn(text.trim(), state))
    pasted?.catch(() => {})
    return { code: await Promise.race(pasted ? [code, pasted] : [code]), opened }
  } finally {
    clearTimeout(timer)
    asking.abort()
    server.close()
    server.closeIdleConnections()
  }
}
