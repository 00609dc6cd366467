import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/**
 * What a limit counts: an IPv4 address, or the /64 that an IPv6 address lies in, since whoever has one IPv6 address mostly has all of
 * its network. A port that a proxy wrote beside the address is left out.
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

/** The address itself, an IPv4 one plainly also where a socket of IPv6 tells of it; null if it is none. */
export function addressOf(text: string): string | null {
  const address = withoutPort(text).split('%', 1)[0]!
  return isIP(address) === 0 ? null : ipaddr.process(address).toString()
}
