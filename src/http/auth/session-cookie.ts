import { createHmac, timingSafeEqual } from 'node:crypto'

/** The name and the signing key of the session cookie. */
export interface Cookies {
  name: string
  key: string
}

/** Cookies that require https have a name prefix that browsers protect. */
export const cookiesOf = (site: string, key: string): Cookies => ({
  name: `${site.startsWith('https:') ? '__Secure-' : ''}goldmaster.session_token`,
  key,
})

/** The session's secret, if the cookie is present and signed by us: a secret that was read from the database is not enough. */
export function sessionOf(header: string, { name, key }: Cookies): string | undefined {
  const value = cookieNamed(header, name)
  const dot = value?.lastIndexOf('.') ?? -1
  if (value === undefined || dot < 1) return undefined
  const token = value.slice(0, dot)
  const [given, right] = [Buffer.from(value.slice(dot + 1), 'base64'), signatureOf(token, key)]
  return given.length === right.length && timingSafeEqual(given, right) ? token : undefined
}

const signatureOf = (token: string, key: string) => createHmac('sha256', key).update(token).digest()

/** As the library sets it. */
export const sessionCookie = (token: string, { name, key }: Cookies, seconds: number): string =>
  cookieOf(name, `${token}.${signatureOf(token, key).toString('base64')}`, { seconds, sameSite: 'Strict' })

/** `Lax` cookies are sent when another site redirects here, `Strict` ones are not. Scripts can read neither. */
export const cookieOf = (name: string, value: string, { seconds, sameSite }: { seconds: number; sameSite: 'Lax' | 'Strict' }) =>
  `${name}=${encodeURIComponent(value)}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=${sameSite}${name.startsWith('__') ? '; Secure' : ''}`

/** The cookies of a request; a session cookie signed with the former key is signed again with the current one. */
export function resigned(header: string, formerKey: string, { name, key }: Cookies): string {
  const token = sessionOf(header, { name, key: formerKey })
  if (token === undefined) return header
  const others = header.split(';').filter((part) => !part.trimStart().startsWith(`${name}=`))
  return [...others, ` ${name}=${encodeURIComponent(`${token}.${signatureOf(token, key).toString('base64')}`)}`].join(';').trim()
}

export function cookieNamed(header: string, name: string): string | undefined {
  const pair = header.split(';').find((part) => part.trimStart().startsWith(`${name}=`))
  if (pair === undefined) return undefined
  try {
    return decodeURIComponent(pair.slice(pair.indexOf('=') + 1).trim())
  } catch {
    return undefined
  }
}
