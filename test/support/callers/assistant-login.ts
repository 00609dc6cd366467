import { createHash, randomBytes } from 'node:crypto'
import type { Answer, Studio } from '../studio.ts'
import { openSite } from './browser.ts'
import { signIn, type Visitor } from './visitor.ts'

const PASSWORD = 'a long enough password'
/** The redirect URI of the assistants in these tests. */
export const BACK = 'http://127.0.0.1:43210/callback'

export type Wishes = Record<string, string | undefined>
type Form = Record<'grant_type' | 'client_id' | 'redirect_uri' | 'code' | 'code_verifier', string>

export const challengeOf = (verifier: string) => createHash('sha256').update(verifier).digest('base64url')

/** RFC 7636 has verifiers of 43 to 128 characters out of letters, digits and `-._~`. */
export const UNFIT_VERIFIERS = [
  'v',
  'v'.repeat(42),
  'v'.repeat(129),
  `${'v'.repeat(42)}+`,
  `${'v'.repeat(42)}é`,
  `${'v'.repeat(43)}\n`,
]
export const FIT_VERIFIERS = ['-._~'.padEnd(43, 'v'), 'V9'.padEnd(128, '~')]

export const pkce = () => {
  const code_verifier = randomBytes(32).toString('base64url')
  return { code_verifier, code_challenge: challengeOf(code_verifier) }
}

/** A studio, a signed-in user, and the steps by which an assistant gets a token, one by one. */
export async function openLogin() {
  const studio = await openSite({
    accounts: [{ key: 'owl', name: 'Night Owl', plan: 'team', payment_method: true }],
    users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', password: PASSWORD, accounts: { owl: 'owner' } }],
    projects: [{ key: 'star', account: 'owl', name: 'Starfall', engine: 'unreal' }],
  })
  return new Login(studio, await signIn(studio, 'lead@example.com', PASSWORD))
}

export class Login {
  readonly studio: Studio
  readonly lead: Visitor
  readonly site: string

  constructor(studio: Studio, lead: Visitor) {
    this.studio = studio
    this.lead = lead
    this.site = studio.service.site
  }

  register(more: object = {}, at = this.studio): Promise<Answer> {
    return at.ask('/oauth/register', { method: 'POST', body: { client_name: 'Helpful', redirect_uris: [BACK], ...more } })
  }

  async idOf(more: object = {}): Promise<string> {
    return (await this.register(more)).json.client_id
  }

  async wishes(more: Wishes = {}): Promise<Wishes> {
    return {
      client_id: await this.idOf(),
      redirect_uri: BACK,
      response_type: 'code',
      code_challenge: pkce().code_challenge,
      code_challenge_method: 'S256',
      state: 'xyz',
      ...more,
    }
  }

  /** One request of the browser, without following redirects. */
  async authorize(wishes: Wishes | URLSearchParams, headers: Record<string, string> = {}) {
    const given = (wishes instanceof URLSearchParams ? [...wishes] : Object.entries(wishes)).filter(
      (pair): pair is [string, string] => pair[1] !== undefined,
    )
    const response = await fetch(`${this.studio.site}/oauth/authorize?${new URLSearchParams(given)}`, {
      redirect: 'manual',
      headers,
    })
    const location = response.headers.get('location')
    return {
      status: response.status,
      location: location === null ? null : new URL(location, this.site),
      text: await response.text(),
    }
  }

  decide(request: string, allow = true): Promise<Answer> {
    return this.lead.app('/assistants/authorizations', { method: 'POST', body: { allow, request } })
  }

  /** What the consent page does after the button is pressed. */
  async consent(wishes: Wishes | URLSearchParams, allow = true): Promise<URL> {
    const { location } = await this.authorize(wishes)
    return new URL((await this.decide(location!.searchParams.get('request')!, allow)).json.redirect_to)
  }

  /** Everything needed to exchange a fresh code. */
  async codeFor(more: Wishes = {}): Promise<Form> {
    const { code_verifier, code_challenge } = pkce()
    const wishes = await this.wishes({ code_challenge, ...more })
    const back = await this.consent(wishes)
    return {
      grant_type: 'authorization_code',
      client_id: wishes.client_id!,
      redirect_uri: wishes.redirect_uri!,
      code: back.searchParams.get('code')!,
      code_verifier,
    }
  }

  exchange(form: Record<string, string> | string, at = this.studio): Promise<Answer> {
    return at.ask('/oauth/token', {
      method: 'POST',
      raw: String(new URLSearchParams(form)),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  }
}
