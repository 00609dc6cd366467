import { spawnSync } from 'node:child_process'
import { mkdirSync, rmSync } from 'node:fs'
import { resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { freePort } from '../support/free-port.ts'
import { openTools, type Tools } from '../support/tools.ts'
import { until } from '../support/until.ts'
import { describeOnWindows, WindowsMachine } from './machine.ts'

describeOnWindows('the service on Windows, with a PostgreSQL elsewhere', () => {
  let machine: WindowsMachine
  let tools: Tools
  let site: string
  let running: Promise<unknown> = Promise.resolve()
  const project = 'Z:\\windows\\project'

  beforeAll(async () => {
    tools = await openTools()
    machine = await WindowsMachine.start('service')
    mkdirSync(machine.path(project), { recursive: true })
    spawnSync('mount', ['--bind', resolve(import.meta.dirname, '../..'), machine.path(project)])
    site = `http://127.0.0.1:${await freePort()}`
  })
  afterAll(async () => {
    await kill()
    spawnSync('umount', [machine.path(project)])
    machine.stop()
    await tools.close()
  })

  const env = () => ({
    DATABASE_URL: tools.studio.url,
    SECRET_KEY: 'a secret that only tests know, 32 or more',
    PORT: new URL(site).port,
    DATA_DIR: `${machine.folder}\\data`,
    DEMO: 'off',
    LOG_LEVEL: 'warn',
  })
  const main = `${project}\\dist\\main.js`

  async function start() {
    rmSync(machine.path(`${machine.folder}\\kill`), { force: true })
    machine.write(
      'serves.cjs',
      `const child = require('node:child_process').spawn(process.execPath, [${JSON.stringify(main)}, 'serve'], { stdio: ['ignore', 'inherit', 'inherit'] })
       child.on('exit', () => process.exit())
       setInterval(() => require('node:fs').existsSync('kill') && child.kill('SIGKILL'), 50)`,
    )
    running = machine.run(machine.node, ['serves.cjs'], { env: env() })
    await until(() =>
      fetch(`${site}/readyz`).then(
        ({ ok }) => ok,
        () => false,
      ),
    )
  }
  async function kill() {
    machine.write('kill', '')
    await running
  }

  const report = (number: string, status: string) =>
    fetch(`${site}/webhooks/ci`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-webhook-token': tools.tokenOf('jenkins') },
      body: JSON.stringify({ job_name: 'Game', build_number: number, status }),
    }).then((answer) => answer.status)
  const numbers = async () => {
    const headers = { authorization: `Bearer ${tools.studio.world.tokens.all!.token}` }
    const answer = await fetch(`${site}/api/v1/projects/${tools.project}/build_runs`, { headers })
    return ((await answer.json()) as { build_runs: { build_number: string }[] }).build_runs
      .map((each) => each.build_number)
      .sort()
  }

  test('starts, takes reports, is killed, starts again and has lost nothing', async () => {
    await start()
    expect(await report('1', 'SUCCESS')).toBe(200)
    await kill()
    await start()
    expect(await report('2', 'FAILURE')).toBe(200)
    expect(await numbers()).toEqual(['1', '2'])
  })

  test('serves the web app, the client and the reference of its API', async () => {
    const first = await (await fetch(`${site}/`)).text()
    expect(first).toContain('<div id="root">')
    for (const path of ['/goldmaster.mjs', '/api/docs']) expect((await fetch(`${site}${path}`)).status).toBe(200)
    const script = /src="(\/[^"]+\.js)"/.exec(first)![1]!
    expect((await fetch(`${site}${script}`)).headers.get('content-type')).toContain('javascript')
  })
})
