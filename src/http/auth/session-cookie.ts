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
  const [given, right] = [Buffer.from(value.slice(dot + 1), 'base64'), createHmac('sha256', key).update(token).digest()]
  return given.length === right.length && timingSafeEqual(given, right) ? token : undefined
}

function cookieNamed(header: string, name: string): string | undefined {
  const pair = header.split(';').find((part) => part.trimStart().startsWith(`${name}=`))
  if (pair === undefined) return undefined
  try {
    return decodeURIComponent(pair.slice(pair.indexOf('=') + 1).trim())
  } catch {
    return undefined
  }
}
