import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { SCOPES } from '../../src/contract/sets.ts'
import { until } from '../support/until.ts'
import { describeOnWindows, hasPostgres, WindowsMachine } from './machine.ts'
import { buildNumbers, reportBuild, WindowsService } from './service.ts'

const WORLD = {
  accounts: [{ key: 'owl', name: 'Night Owl' }],
  users: [{ key: 'lead', email: 'lead@example.com', name: 'Lead', accounts: { owl: 'owner' } }],
  projects: [{ key: 'star', account: 'owl', name: 'Starfall' }],
  tokens: [{ key: 'all', user: 'lead', name: 'all', scopes: SCOPES }],
  integrations: [{ key: 'jenkins', project: 'star', provider: 'jenkins' }],
}

describeOnWindows(
  'the service on Windows, with its built-in PostgreSQL',
  () => {
    let machine: WindowsMachine
    let service: WindowsService
    let data: string
    let [token, webhook, project] = ['', '', 0]
    const numbers = () => buildNumbers(service.site, token, project)
    const report = (number: string) => reportBuild(service.site, webhook, number, 'FAILURE')
    const pidFile = (of = data) => machine.path(`${of}\\postgres\\postmaster.pid`)
    const postmaster = (of = data) => Number.parseInt(readFileSync(pidFile(of), 'utf8'), 10)
    const serverLog = () => readFileSync(machine.path(`${data}\\postgres.log`), 'utf8')
    /** Ends the server alone; its processes notice that. */
    const killPostgres = (of = data) => machine.script(`process.kill(${postmaster(of)}, 'SIGKILL')`)

    beforeAll(async () => {
      machine = await WindowsMachine.start('database')
      data = `${machine.folder}\\Program Data\\gold`
      service = await WindowsService.install(machine, { DATA_DIR: data })
    })
    afterAll(async () => {
      await service?.kill()
      for (const folder of machine ? [data, `${machine.folder}\\restored`] : [])
        if (existsSync(pidFile(folder))) await killPostgres(folder)
      machine?.stop()
    })

    test('creates its database in a folder with blanks, starts and takes reports', async () => {
      await service.start()
      const made = await service.admin(['load', machine.write('world.json', JSON.stringify(WORLD))])
      const world = JSON.parse(made.slice(made.indexOf('{')))
      token = world.tokens.all.token
      webhook = world.integrations.jenkins.webhook_token
      project = world.projects.star.id
      await report('1')
      expect(await numbers()).toEqual(['1'])
    })

    test('backs up while it serves, and refuses a file that exists', async () => {
      const file = `${machine.folder}\\monday.backup`
      expect(await service.admin(['backup', file])).toMatch(/^Wrote .*monday\.backup: \d+ rows/)
      await expect(service.admin(['backup', file])).rejects.toThrow('already exists')
    })

    test('is killed, and the next start uses the server that still runs', async () => {
      const [before, logged] = [postmaster(), serverLog().length]
      await report('2')
      await service.kill()
      await service.start()
      expect(await numbers()).toEqual(['1', '2'])
      // A start that took too long ended the server in order, and the next one started it again.
      const since = serverLog().slice(logged)
      expect(postmaster() === before || since.includes('database system is shut down')).toBe(true)
      expect(since).not.toContain('not properly shut down')
    })

    test('starts a server again that was killed, and serves', async () => {
      await report('3')
      const before = postmaster()
      await killPostgres()
      await until(() => existsSync(pidFile()) && postmaster() !== before)
      expect(await numbers()).toEqual(['1', '2', '3'])
    })

    test('is killed together with its server, and loses nothing', async () => {
      await report('4')
      await Promise.all([service.kill(), killPostgres()])
      await service.start()
      expect(await numbers()).toEqual(['1', '2', '3', '4'])
    })

    test('starts although the process id of its dead server belongs to another program', async () => {
      await Promise.all([service.kill(), killPostgres()])
      const { out } = await machine.script('console.log(process.ppid)')
      const other = Number(out.toString())
      expect(other).not.toBe(postmaster())
      writeFileSync(pidFile(), readFileSync(pidFile(), 'utf8').replace(/^\d+/, String(other)))
      await service.start()
      expect([await numbers(), postmaster() === other]).toEqual([['1', '2', '3', '4'], false])
    })

    const restored = () => ({ DATA_DIR: `${machine.folder}\\restored` })

    test('is restored from the backup into another folder', async () => {
      await service.kill()
      const said = await service.admin(['restore', `${machine.folder}\\monday.backup`], restored())
      expect(said).toMatch(/^Restored \d+ rows/m)
    })

    test('serves from the restored folder', async () => {
      await service.start(restored())
      expect(await numbers()).toEqual(['1'])
      await report('2')
    })
  },
  hasPostgres ? undefined : 'PostgreSQL has no build for this architecture',
)
