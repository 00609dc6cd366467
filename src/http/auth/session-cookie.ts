import { createHmac, timingSafeEqual } from 'node:crypto'

/** How the cookie of a session is called and signed. */
export interface Cookies {
  name: string
  key: string
}

/** Cookies that only travel encrypted have a name that browsers protect. */
export const cookiesOf = (site: string, key: string): Cookies => ({
  name: `${site.startsWith('https:') ? '__Secure-' : ''}goldmaster.session_token`,
  key,
})

/** The session's secret, if the cookie is there and signed by us: one that was read out of the database is not enough. */
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

/** `Lax` travels along when another site leads back here, `Strict` does not. No script reads either. */
export const cookieOf = (name: string, value: string, { seconds, sameSite }: { seconds: number; sameSite: 'Lax' | 'Strict' }) =>
  `${name}=${encodeURIComponent(value)}; Max-Age=${seconds}; Path=/; HttpOnly; SameSite=${sameSite}${name.startsWith('__') ? '; Secure' : ''}`

/** The cookies of a request; that of a session which a former key signed is signed with the current one. */
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
