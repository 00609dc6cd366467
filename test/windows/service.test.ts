import { afterAll, beforeAll, expect, test } from 'vitest'
import { openTools, type Tools } from '../support/tools.ts'
import { databasePort } from './database-port.ts'
import { describeOnWindows, WindowsMachine } from './machine.ts'
import { buildNumbers, reportBuild, WindowsService } from './service.ts'

describeOnWindows('the service on Windows, with a PostgreSQL elsewhere', () => {
  let machine: WindowsMachine
  let tools: Tools
  let service: WindowsService
  let database: Awaited<ReturnType<typeof databasePort>>

  beforeAll(async () => {
    tools = await openTools()
    database = await databasePort(tools.studio.url)
    machine = await WindowsMachine.start('service')
    service = await WindowsService.install(machine, {
      DATABASE_URL: database.url,
      SECRET_KEY: 'a secret that only tests know, 32 or more',
      DATA_DIR: `${machine.folder}\\data`,
    })
  })
  afterAll(async () => {
    await service?.kill()
    machine?.stop()
    database?.close()
    await tools?.close()
  })

  test('starts, takes reports, is killed, starts again and has lost nothing', async () => {
    const report = (number: string, status: string) => reportBuild(service.site, tools.tokenOf('jenkins'), number, status)
    await service.start()
    await report('1', 'SUCCESS')
    await service.kill()
    await service.start()
    await report('2', 'FAILURE')
    expect(await buildNumbers(service.site, tools.studio.world.tokens.all!.token!, tools.project)).toEqual(['1', '2'])
  })

  test('serves the web app, the client and the reference of its API', async () => {
    const { site } = service
    const first = await (await fetch(`${site}/`)).text()
    expect(first).toContain('<div id="root">')
    for (const path of ['/goldmaster.mjs', '/api/docs']) expect((await fetch(`${site}${path}`)).status).toBe(200)
    const script = /src="(\/[^"]+\.js)"/.exec(first)![1]!
    expect((await fetch(`${site}${script}`)).headers.get('content-type')).toContain('javascript')
  })
})
