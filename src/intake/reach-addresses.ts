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

/** Whether the operator allows a host by its name, or its address, although it is private. */
export type AllowedHosts = (host: string, address: string) => boolean

/** As `ALLOW_PRIVATE_HOSTS` lists them: names, addresses and ranges. */
export function allowedHosts(entries: readonly string[]): AllowedHosts {
  const names = new Set<string>()
  const ranges = new BlockList()
  for (const entry of entries) {
    const [net, bits] = entry.split('/')
    const family = isIP(net!) === 6 ? 'ipv6' : 'ipv4'
    if (isIP(net!) === 0) names.add(hostName(entry))
    else if (bits === undefined) ranges.addAddress(net!, family)
    else ranges.addSubnet(net!, Number(bits), family)
  }
  return (host, address) =>
    names.has(hostName(host)) || ranges.check(withoutZone(address), isIP(withoutZone(address)) === 6 ? 'ipv6' : 'ipv4')
}

const hostName = (host: string) => host.toLowerCase().replace(/\.$/, '')
