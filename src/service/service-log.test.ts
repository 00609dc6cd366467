import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync } from 'node:fs'
import { pathToFileURL } from 'node:url'
import { expect, test } from 'vitest'

/** A process with our log that runs these statements on command and exits with 7. */
function logger(statements: string, stdout: 'pipe' | number) {
  const service = pathToFileURL(`${import.meta.dirname}/service.ts`).href
  const program = `
    import { once } from 'node:events'
    import { setTimeout as sleep } from 'node:timers/promises'
    import { openLog } from '${service}'
    await once(process.stdin, 'data')
    const log = openLog({ logLevel: 'info' })
    ${statements}
    log.flush()
    process.exit(7)`
  return spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', program], {
    stdio: ['pipe', stdout, 'inherit'],
  })
}

test('a process whose output nobody reads any more can write its last line and end', async () => {
  const child = logger(`log.info('stopping')`, 'pipe')
  const closed = once(child.stdout!, 'close')
  child.stdout!.destroy()
  await closed
  child.stdin!.write('go')
  expect(await once(child, 'exit')).toEqual([7, null])
})

test.runIf(process.platform === 'linux')('a process continues while the disk of its log is full', async () => {
  const child = logger(`for (let i = 0; i < 100; i++) log.info('x'.repeat(20_000)); await sleep(600)`, openSync('/dev/full', 'w'))
  child.stdin!.write('go')
  expect(await once(child, 'exit')).toEqual([7, null])
})
