import { createHash, randomBytes } from 'node:crypto'
import { hostname } from 'node:os'
import { Failure } from '../../terminal/failures.ts'
import { clean } from '../../terminal/text.ts'
import { browse } from './browser.ts'
import { awaitCode } from './callback.ts'
import { AGENT, refusePages, type Send } from './requests.ts'

const CLIENT_NAME = 'Goldmaster CLI'

export interface Grant {
  token: string
  scopes: string[]
  expires_at: string | null
}

interface SigningIn {
  site: string
  scopes: readonly string[]
  browser: boolean
  env: NodeJS.ProcessEnv
  send: Send
  note(text: string): void
  /** Asks for the URL that a browser elsewhere ended at, if somebody can answer. */
  paste?: ((signal: AbortSignal) => Promise<string>) | undefined
}

/** The browser login: consent on a page of the service, the code back to this machine, the token for the code (PKCE). */
export async function signIn({ site, scopes, browser, env, send, note, paste }: SigningIn): Promise<Grant> {
  const verifier = randomBytes(32).toString('base64url')
  const state = randomBytes(16).toString('base64url')
  const { code, opened } = await awaitCode(
    state,
    async (port) => {
      const url = authorizeUrl(site, { port, state, verifier, scopes })
      const shown = browser && (await browse(url, env))
      note(`${shown ? 'Opening your browser. If it does not open, go to' : 'To sign in, go to'} this URL:\n\n  ${url}\n`)
      if (!shown)
        note(
          paste
            ? 'If the browser runs on another machine, it ends up on a page at 127.0.0.1 that does not load. Paste the URL of that page here.'
            : `If the browser runs on another machine, forward the port first: ssh -L ${port}:127.0.0.1:${port} <this machine>`,
        )
      return shown
    },
    paste,
  )
  if (opened) note('Signed in with the browser.')
  const answer = await send(new URL(`${site}/api/v1/cli/token_exchange`), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'user-agent': AGENT },
    body: JSON.stringify({ code, code_verifier: verifier, device_name: hostname() }),
  })
  refusePages(answer, site)
  return accepted(grantOf(answer.status, answer.text, site), scopes, site)
}

function authorizeUrl(site: string, asked: { port: number; state: string; verifier: string; scopes: readonly string[] }): string {
  const url = new URL(`${site}/cli/auth`)
  const challenge = createHash('sha256').update(asked.verifier).digest('base64url')
  const query = {
    port: String(asked.port),
    state: asked.state,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    client_name: CLIENT_NAME,
    scope: asked.scopes.join(' '),
  }
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  return url.href
}

function grantOf(status: number, text: string, site: string): Grant {
  let body: Record<string, unknown> = {}
  try {
    body = JSON.parse(text)
  } catch {}
  const { token, scopes, expires_at, message } = body
  if (status !== 201)
    throw new Failure(
      `${site} rejected the login: ${typeof message === 'string' ? clean(message) : `HTTP ${status}`} Try again: goldmaster login`,
    )
  if (typeof token !== 'string' || !/^[\w.~+/=-]{16,512}$/.test(token) || !Array.isArray(scopes))
    throw new Failure(`The login response of ${site} has no token. Upgrade the CLI or the service.`)
  return { token, scopes: scopes.map(String), expires_at: typeof expires_at === 'string' ? expires_at : null }
}

/** A token with more scopes than requested is not stored. */
function accepted(grant: Grant, asked: readonly string[], site: string): Grant {
  const beyond = grant.scopes.filter((scope) => !asked.includes(scope))
  if (beyond.length > 0)
    throw new Failure(
      `${site} granted scopes that were not requested (${clean(beyond.join(', '))}). The token was not saved; revoke it at ${site}/settings/tokens`,
    )
  return grant
}
