import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * The key of a limit: an IPv4 address, or the /64 of an IPv6 address, since one client usually has the whole network. A port added by a
 * proxy is dropped.
 */
export function networkOf(text: string): string {
  const address = withoutPort(text)
  if (isIP(address) !== 6) return address
  const read = ipaddr.process(address)
  if (!('parts' in read)) return read.toString()
  return `${read.parts
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

const withoutPort = (text: string) => /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text

/** The address itself, with an IPv4-mapped one as plain IPv4; null if it is invalid. */
export function addressOf(text: string): string | null {
  const address = withoutPort(text).split('%', 1)[0]!
  return isIP(address) === 0 ? null : ipaddr.process(address).toString()
}
