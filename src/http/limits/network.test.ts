import { expect, test } from 'vitest'
import { openStudio } from '../../../test/support/studio.ts'
import { networkOf } from './network.ts'

test.each([
  ['192.0.2.7', '192.0.2.7'],
  ['192.0.2.7:50123', '192.0.2.7'],
  ['::ffff:192.0.2.7', '192.0.2.7'],
  ['::FFFF:c000:207', '192.0.2.7'],
  ['0:0:0:0:0:ffff:192.0.2.7', '192.0.2.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:0001:0002::9', '2001:db8:1:2::/64'],
  ['[2001:db8:1:2::9]:443', '2001:db8:1:2::/64'],
  ['2001:db8::1', '2001:db8:0:0::/64'],
  ['fe80::1%eth0', 'fe80:0:0:0::/64'],
  ['fe80::2%en1', 'fe80:0:0:0::/64'],
  ['::1', '0:0:0:0::/64'],
  ['not an address', 'not an address'],
])('%s counts as %s', (address, network) => expect(networkOf(address)).toBe(network))

test('a caller with a whole /64 of IPv6 addresses has one window, the next network another', async () => {
  const rates = { requests: { points: 3, seconds: 600 } }
  const studio = await openStudio({}, { rates, service: { trustProxy: ['loopback'] } })
  const from = async (address: string) => (await studio.ask('/api/v1/ping', { headers: { 'x-forwarded-for': address } })).status
  try {
    for (const address of ['2001:db8::1', '2001:db8::2', '2001:db8:0:0:ffff::3']) expect(await from(address)).toBe(401)
    expect(await from('2001:0db8::4')).toBe(429)
    expect(await from('2001:db8:0:1::1')).toBe(401)
    for (const address of ['192.0.2.7', '::ffff:192.0.2.7', '::ffff:c000:207']) expect(await from(address)).toBe(401)
    expect(await from('192.0.2.7')).toBe(429)
    expect(await from('192.0.2.8')).toBe(401)
  } finally {
    await studio.close()
  }
})
