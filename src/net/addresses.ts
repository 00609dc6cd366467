import { BlockList, isIP } from 'node:net'

/** Where a server of ours must not be led by an address somebody typed into a form. */

const V4 = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 3],
] as const

/** Of IPv6 only global unicast is public, and of that not what carries an IPv4 address inside (6to4, Teredo) or is for examples. */
const V6_PUBLIC = ['2000::', 3] as const
const V6 = [
  ['2001::', 23],
  ['2001:db8::', 32],
  ['2002::', 16],
  ['3fff::', 20],
] as const

const privateV4 = new BlockList()
for (const [net, bits] of V4) privateV4.addSubnet(net, bits, 'ipv4')
const publicV6 = new BlockList()
publicV6.addSubnet(...V6_PUBLIC, 'ipv6')
const privateV6 = new BlockList()
for (const [net, bits] of V6) privateV6.addSubnet(net, bits, 'ipv6')

/** Loopback, link-local, private, shared, multicast, reserved, in any spelling of an address; what is no address is private too. */
export function isPrivate(address: string): boolean {
  const plain = withoutZone(address)
  if (isIP(plain) === 4) return privateV4.check(plain, 'ipv4')
  if (isIP(plain) !== 6) return true
  return !publicV6.check(plain, 'ipv6') || privateV6.check(plain, 'ipv6')
}

const withoutZone = (address: string) => address.split('%', 1)[0]!

/** What private hosts may be allowed for. */
export const USES = ['jenkins', 'perforce', 'webhooks'] as const
type Use = (typeof USES)[number]

/** Whether the operator allows a host by its name, or its address, although it is private: on this port, for this use. */
export type AllowedHosts = (host: string, address: string, port?: number, use?: Use) => boolean

interface Entry {
  /** Undefined: for every use. */
  use: Use | undefined
  /** Undefined: every port. */
  port: number | undefined
  matches: (host: string, address: string) => boolean
}

/** As `ALLOW_PRIVATE_HOSTS` lists them: names, addresses and ranges, each for a use and on a port, or for all. */
export function allowedHosts(texts: readonly string[]): AllowedHosts {
  const entries = texts.flatMap((text) => readEntry(text) ?? [])
  return (host, address, port, use) =>
    entries.some(
      (entry) =>
        (entry.use === undefined || entry.use === use) &&
        (entry.port === undefined || entry.port === port) &&
        entry.matches(hostName(host), withoutZone(address)),
    )
}

const ENTRY = new RegExp(`^(?:(${USES.join('|')}):)?(.+)$`, 'i')
const NAME = /^(?=.*[a-z_])[a-z0-9_][a-z0-9._-]{0,252}$/

/** `jenkins:ci.internal:8080`, its first and its last part optional; an IPv6 address with a port stands in brackets. */
export function readEntry(text: string): Entry | undefined {
  const [, use, rest = ''] = ENTRY.exec(text.toLowerCase()) ?? []
  const [, bracketed, plain, digits] = /^(?:\[([^\]]+)\]|([^:]*))(?::(\d{1,5}))?$/.exec(rest) ?? []
  const place = bracketed ?? plain ?? rest
  const port = digits === undefined ? undefined : Number(digits)
  const matches = matcherOf(place)
  if (!matches || (port !== undefined && (port < 1 || port > 65_535))) return undefined
  return { use: use as Use | undefined, port, matches }
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
