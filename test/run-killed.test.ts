import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openNode } from './support/killing.ts'
import { openBuildRoom } from './support/studios/build-room.ts'
import { until } from './support/until.ts'

test('kill -9 of the service while a build streams its log: nothing is lost or duplicated', async () => {
  const room = await openBuildRoom()
  const node = await openNode(room.tools.studio)
  const end = join(room.folder, 'end')
  const { ended } = room.build(
    `let line = 0
     const print = () => {
       console.log('line ' + line++)
       if (require('node:fs').existsSync(${JSON.stringify(end)})) clearInterval(timer)
     }
     const timer = setInterval(print, 20)`,
    ['--number', '1'],
    { GOLDMASTER_HOST: node.site },
  )
  const streamed = async () => {
    const known = await room.known('1')
    return known.id === undefined ? '' : room.log('1')
  }
  const linesUpTo = (count: number) => Array.from({ length: count }, (_, i) => `line ${i}\n`).join('')
  for (let times = 0; times < 3; times++) {
    const before = (await streamed()).length
    await until(async () => (await streamed()).length > before)
    expect(await node.kill()).toBe('SIGKILL')
    await node.start()
  }
  const before = (await streamed()).length
  await until(async () => (await streamed()).length > before)
  const log = await streamed()
  expect(log).toBe(linesUpTo(log.split('\n').length - 1))

  writeFileSync(end, '')
  const { code, out } = await ended
  expect(code).toBe(0)
  expect(out.toString()).toBe(linesUpTo(out.toString().split('\n').length - 1))
  expect(await room.known('1')).toMatchObject({ status: 'completed' })
  expect(await room.log('1')).toBe(out.toString())
  await node.kill('SIGTERM')
  await room.close()
})
