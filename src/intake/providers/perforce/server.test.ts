import { afterAll, expect, test } from 'vitest'
import { scratch, standIn } from '../../../../test/support/stand-in.ts'
import { within } from '../../../net/budget.ts'
import { print, TooLong, users } from './server.ts'
import { perforceFile } from './server-file.ts'

const { folder, remove } = scratch()
afterAll(remove)

const MIB = 1024 * 1024
const PLENTY = { bytes: 100 * MIB, values: 1_000_000, pages: 1_000, seconds: 600 }
const config = { server: '127.0.0.1:1666', user: 'gold' }

let name = 0
const p4 = (script: string) => ({ p4: standIn(folder, `p4-${++name}`, script), allowed: () => true })

test('what p4 prints counts with everything else that its job reads', async () => {
  const megabyte = p4(`process.stdout.write('x'.repeat(${MIB}))`)
  const tenUsers = p4(`for (let i = 0; i < 10; i++) console.log(JSON.stringify({ User: 'u' + i, Email: 'a', FullName: 'b' }))`)
  const read = () => print(config, ['changes'], megabyte)
  await within({ ...PLENTY, bytes: 2.5 * MIB, pages: 2 }, async () => {
    await read()
    await read()
    await expect(read()).rejects.toThrow('more than 2 replies of the server')
  })
  await within({ ...PLENTY, bytes: 1.5 * MIB }, async () => {
    await read()
    await expect(read()).rejects.toThrow('more than 1.5 MiB')
    expect(await users(config, tenUsers)).toHaveLength(10)
  })
  await expect(within({ ...PLENTY, values: 39 }, () => users(config, tenUsers))).rejects.toThrow('more than 39 values')
})

test('a file of the depot counts as it arrives, and p4 ends when it is too much', async () => {
  const endless = p4(`const more = () => process.stdout.write(Buffer.alloc(65_536), more); more()`)
  const file = { path: '//game/main/a.uasset', identifier: '7' }
  const read = (limit: number) => perforceFile(endless as never, config, file, limit)
  expect(await within({ ...PLENTY, bytes: 2 * MIB }, () => read(MIB))).toMatchObject({ isCut: true })
  await expect(within({ ...PLENTY, bytes: MIB }, () => read(32 * MIB))).rejects.toThrow('more than 1 MiB')
})

test('output of more values than can be parsed is refused before it is parsed', async () => {
  const wide = p4(`process.stdout.write('{"a":[' + '0,'.repeat(400_001) + '0]}')`)
  await expect(print(config, ['changes'], wide)).rejects.toThrow(TooLong)
  const deep = p4(`process.stdout.write('['.repeat(101))`)
  await expect(print(config, ['changes'], deep)).rejects.toThrow(TooLong)
})
