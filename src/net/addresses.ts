import { BlockList, isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Addresses that our servers must not call on behalf of a form's input. */

/** The rest of the IPv6 registry is reserved, and the library considers it public. */
const V6_PUBLIC = ipaddr.parseCIDR('2000::/3')

/** Loopback, link-local, private, shared, multicast, reserved, in any spelling of an address; an invalid address is private too. */
export function isPrivate(address: string): boolean {
  const plain = withoutZone(address)
  // The library also accepts spellings that no resolver would, such as a single number.
  if (isIP(plain) === 0) return true
  const read = ipaddr.parse(plain)
  return read.range() !== 'unicast' || (read.kind() === 'ipv6' && !read.match(V6_PUBLIC))
}

const withoutZone = (address: string) => address.split('%', 1)[0]!

/** Whether the operator allows a host by its name or address although it is private: on this port, for this use. */
export type AllowedHosts = (host: string, address: string, port?: number, use?: string) => boolean

interface Entry {
  /** The allowed use; undefined: everything. */
  use: string | undefined
  /** Undefined: every port. */
  port: number | undefined
  matches: (host: string, address: string) => boolean
}

/** Parses `ALLOW_PRIVATE_HOSTS`: names, addresses and ranges, each for one use and port, or for all. */
export function allowedHosts(texts: readonly string[], uses: readonly string[] = []): AllowedHosts {
  const entries = texts.flatMap((text) => readEntry(text, uses) ?? [])
  return (host, address, port, use) =>
    entries.some(
      (entry) =>
        (entry.use === undefined || entry.use === use) &&
        (entry.port === undefined || entry.port === port) &&
        entry.matches(hostName(host), withoutZone(address)),
    )
}

const NAME = /^(?=.*[a-z_])[a-z0-9_][a-z0-9._-]{0,252}$/

/** `webhooks:ci.internal:8080`, its first and its last part optional; an IPv6 address with a port is in brackets. */
export function readEntry(text: string, uses: readonly string[]): Entry | undefined {
  const entry = text.toLowerCase()
  const use = uses.find((use) => entry.startsWith(`${use}:`))
  const rest = use === undefined ? entry : entry.slice(use.length + 1)
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d{1,5}))?$/.exec(rest) ?? []
  const place = bracketed ?? plain ?? rest
  const port = digits === undefined ? undefined : Number(digits)
  const matches = matcherOf(place)
  if (!matches || (port !== undefined && (port < 1 || port > 65_535))) return undefined
  return { use, port, matches }
}

function matcherOf(place: string): Entry['matches'] | undefined {
  const [net, bits, ...more] = place.split('/')
  const family = isIP(net!)
  if (family === 0) return NAME.test(place) ? (host) => host === hostName(place) : undefined
  const most = family === 6 ? 128 : 32
  if (more.length > 0 || (bits !== undefined && (!/^\d{1,3}$/.test(bits) || Number(bits) > most))) return undefined
  const range = new BlockList()
  range.addSubnet(net!, bits === undefined ? most : Number(bits), familyOf(net!))
  return (_, address) => isIP(address) !== 0 && range.check(address, familyOf(address))
}

const familyOf = (address: string) => (isIP(address) === 6 ? 'ipv6' : 'ipv4')
const hostName = (host: string) => host.toLowerCase().replace(/\.$/, '')
