import type { OpenIdProvider } from '../servers/openid-provider.ts'
import type { Studio } from '../studio.ts'
import { type Visitor, visit } from './visitor.ts'

/** Signs in through the provider like a browser: each side's cookies are sent only to that side. */
export async function signInThrough(studio: Studio, provider: OpenIdProvider, who: string, email: string) {
  const begun = await begin(studio, email)
  return finish(studio, begun.cookie, await visitProvider(provider, begun.redirect_to, who))
}

/** The service's redirect, and the cookie that must be sent back. */
export async function begin(studio: Studio, email: string) {
  const visitor = visit(studio)
  const { status, json } = await visitor.app('/single_sign_on', { method: 'POST', body: { email, to: '/inbox' } })
  if (status !== 200) throw new Error(`${status} ${json.error}`)
  return { redirect_to: json.redirect_to as string, cookie: visitor.cookie }
}

/** The provider's final redirect. */
export async function visitProvider(provider: OpenIdProvider, address: string, who: string): Promise<string> {
  const jar = new Map<string, string>()
  let url = address
  let body: URLSearchParams | undefined
  while (url.startsWith(provider.issuer)) {
    const cookie = [...jar].map((pair) => pair.join('=')).join('; ')
    const answer = await fetch(url, {
      method: body ? 'POST' : 'GET',
      ...(body ? { body } : {}),
      headers: { cookie },
      redirect: 'manual',
    })
    for (const set of answer.headers.getSetCookie()) {
      const [name, value] = set.split(';', 1)[0]!.split('=') as [string, string]
      jar.set(name, value)
    }
    const location = answer.headers.get('location')
    body = location === null ? new URLSearchParams({ who }) : undefined
    if (location !== null) url = new URL(location, url).href
  }
  return url
}

/** The service's response: where the browser goes, and the signed-in user. */
export async function finish(studio: Studio, cookie: string, callback: string): Promise<{ location: string; visitor: Visitor }> {
  const answer = await fetch(callback, { headers: { cookie }, redirect: 'manual' })
  const visitor = visit(studio)
  visitor.cookie =
    answer.headers
      .getSetCookie()
      .find((set) => set.includes('session_token'))
      ?.split(';', 1)[0] ?? ''
  return { location: answer.headers.get('location') ?? `${answer.status}`, visitor }
}
