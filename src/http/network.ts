import { isIP } from 'node:net'

/**
 * What a limit counts: an IPv4 address, or the /64 that an IPv6 address lies in, since whoever has one IPv6 address mostly has all of
 * its network. A port that a proxy wrote beside the address is left out.
 */
export function networkOf(text: string): string {
  const address = /^\[(.+)\](?::\d+)?$/.exec(text)?.[1] ?? /^([\d.]+):\d+$/.exec(text)?.[1] ?? text
  if (isIP(address) !== 6) return address
  const groups = groupsOf(address.replace(/%.*$/, ''))
  const isMapped = groups.slice(0, 5).every((group) => group === 0) && groups[5] === 0xffff
  if (isMapped)
    return groups
      .slice(6)
      .flatMap((group) => [group >> 8, group & 255])
      .join('.')
  return `${groups
    .slice(0, 4)
    .map((group) => group.toString(16))
    .join(':')}::/64`
}

/** The eight numbers of an IPv6 address; two of them may be written as an IPv4 address. */
function groupsOf(address: string): number[] {
  const [head = '', tail = ''] = address.split('::')
  const read = (part: string) => (part === '' ? [] : part.split(':').flatMap(groupOf))
  const [before, after] = [read(head), read(tail)]
  return [...before, ...Array<number>(8 - before.length - after.length).fill(0), ...after]
}

function groupOf(text: string): number[] {
  if (!text.includes('.')) return [Number.parseInt(text, 16)]
  const [a, b, c, d] = text.split('.').map(Number) as [number, number, number, number]
  return [a * 256 + b, c * 256 + d]
}
