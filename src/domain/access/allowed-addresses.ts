import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'
import { invalidParameter, ownAddressMissing } from '../../contract/errors.ts'

/** Addresses and ranges as people write them, normalized to ranges; an empty list allows any. */
export function readAddresses(texts: readonly string[]): string[] | null {
  const read = texts.map((text) => text.trim()).filter((text) => text !== '')
  return read.length === 0 ? null : [...new Set(read.map(readRange))]
}

function readRange(text: string): string {
  const [address = '', bits, ...more] = text.split('/')
  const family = isIP(address)
  const most = family === 6 ? 128 : 32
  const length = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : Number.NaN
  const mapped = family === 6 && (ipaddr.parse(address) as ipaddr.IPv6).isIPv4MappedAddress()
  if (family === 0 || mapped || more.length > 0 || !(length <= most))
    throw invalidParameter(
      'allowed_addresses',
      `must list addresses or ranges such as 203.0.113.0/24 or 2001:db8::/32, not ${JSON.stringify(text)}`,
    )
  const range = `${address}/${length}`
  const first = family === 6 ? ipaddr.IPv6.networkAddressFromCIDR(range) : ipaddr.IPv4.networkAddressFromCIDR(range)
  return `${first.toString()}/${length}`
}

/** The list must contain the address of the person who saves it, so that they don't lock themselves out. */
export function refuseWithoutOwn(ranges: readonly string[] | null, own: string | null) {
  if (ranges === null) return
  const address = own === null ? undefined : ipaddr.parse(own)
  const holds = (range: string) => {
    const [net, bits] = ipaddr.parseCIDR(range)
    return address?.kind() === net.kind() && address.match(net, bits)
  }
  if (!ranges.some(holds)) throw ownAddressMissing(own ?? 'unknown')
}
