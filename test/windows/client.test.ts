import { existsSync, readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { VERSION } from '../../src/contract/version.ts'
import { type BuildRoom, openBuildRoom } from '../support/studios/build-room.ts'
import { describeOnWindows, WindowsMachine } from './machine.ts'

describeOnWindows('the client on Windows', () => {
  let machine: WindowsMachine
  let room: BuildRoom
  let token: string
  beforeAll(async () => {
    room = await openBuildRoom()
    token = room.tools.studio.world.tokens.all!.token as string
    machine = await WindowsMachine.start('client')
  })
  afterAll(async () => {
    machine?.stop()
    await room?.close()
  })

  const HOME = '/windows/client/AppData'
  const site = () => room.tools.studio.site
  const signedIn = () => ({ GOLDMASTER_HOST: site(), GOLDMASTER_TOKEN: token })
  const reporting = () => ({ GOLDMASTER_HOST: site(), GOLDMASTER_WEBHOOK_TOKEN: room.tools.tokenOf('jenkins') })

  test('prints its version and its help', async () => {
    expect((await machine.goldmaster(['--version'])).out.toString()).toBe(`${VERSION}\n`)
    expect((await machine.goldmaster(['run', '--help'])).out.toString()).toContain('goldmaster run')
  })

  test('signs in with a token, which it saves in the folder of the user', async () => {
    const { code, err } = await machine.goldmaster(['login', '--host', site(), '--token'], { input: `${token}\r\n` })
    expect([code, err.toString()]).toEqual([0, expect.anything()])
    const file = machine.path(`${HOME}/Roaming/goldmaster/hosts.json`)
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')).hosts)).toEqual([site()])
    expect((await machine.goldmaster(['whoami'])).code).toBe(0)
    expect((await machine.goldmaster(['logout'])).code).toBe(0)
    expect((await machine.goldmaster(['whoami'])).code).toBe(4)
  })

  test('saves settings in the folder of the user, and reads them again', async () => {
    expect((await machine.goldmaster(['config', 'set', 'pager', 'more'])).code).toBe(0)
    expect(existsSync(machine.path(`${HOME}/Roaming/goldmaster/config.json`))).toBe(true)
    expect((await machine.goldmaster(['config', 'get', 'pager'])).out.toString()).toBe('more\n')
  })

  test('uses the folder of XDG_CONFIG_HOME where that is set', async () => {
    const env = { XDG_CONFIG_HOME: 'Z:\\windows\\client\\own' }
    expect((await machine.goldmaster(['config', 'set', 'pager', 'more'], { env })).code).toBe(0)
    expect(existsSync(machine.path('/windows/client/own/goldmaster/config.json'))).toBe(true)
  })

  test('chooses a project for a folder and the folders below it', async () => {
    const env = signedIn()
    expect((await machine.goldmaster(['use', String(room.tools.project)], { env })).code).toBe(0)
    machine.write('deep\\er\\file.txt', '')
    const listed = await machine.goldmaster(['tasks', 'list', '--json', 'id'], { env, cwd: `${machine.folder}\\deep\\er` })
    expect([listed.code, listed.err.toString()]).toEqual([0, ''])
  })

  test('lists projects', async () => {
    const { out } = await machine.goldmaster(['projects', 'list', '--pick', '[].id'], { env: signedIn() })
    expect(out.toString().split('\n')).toContain(String(room.tools.project))
  })

  test('reports a build, lists it, shows it and waits for its end', async () => {
    const reports = [['started'], ['success']]
    for (const [status] of reports)
      expect(
        (await machine.goldmaster(['builds', 'report', status!, '--job', 'Game', '--number', 'reported'], { env: reporting() }))
          .code,
      ).toBe(0)
    const project = ['--project', String(room.tools.project)]
    const { id } = await room.known('reported')
    const listed = await machine.goldmaster(['builds', 'list', ...project, '--pick', '[].id'], { env: signedIn() })
    expect(listed.out.toString().split('\n')).toContain(String(id))
    const watched = await machine.goldmaster(['builds', 'watch', String(id), ...project], { env: signedIn() })
    expect([watched.code, watched.out.toString()]).toEqual([0, expect.stringContaining('completed')])
  })

  test('sends test reports of a pattern with backslashes', async () => {
    machine.write(
      'reports\\one.xml',
      '<testsuite name="s"><testcase name="a"/><testcase name="b"><failure/></testcase></testsuite>',
    )
    const words = ['tests', 'upload', 'reports\\*.xml', '--job', 'Game', '--number', 'reported']
    const { code, out, err } = await machine.goldmaster(words, { env: reporting() })
    expect([code, `${out}${err}`]).toEqual([0, expect.stringContaining('2 tests in 1 file, 1 failed')])
  })

  test.each([
    ['by its whole path', 'Z:\\windows\\client\\Logs\\Build.log'],
    ['by a path with backslashes', 'Logs\\Build.log'],
    ['by a path with slashes', 'Logs/Build.log'],
  ])('explains a log with drive letters and CRLF, named %s', async (_, name) => {
    const log = [
      'Building UnrealEditor...',
      "D:\\Build\\Game\\Source\\Game\\Player.cpp(42): error C2065: 'Sped': undeclared identifier",
      'BUILD FAILED',
      '',
    ].join('\r\n')
    machine.write('Logs\\Build.log', log)
    const { out, err } = await machine.goldmaster(['diagnose', '--json', name])
    expect(err.toString()).toBe('')
    const { category, evidence } = JSON.parse(out.toString())
    expect([category, JSON.stringify(evidence)]).toEqual(['compile_error', expect.stringContaining('Player.cpp')])
    expect(JSON.stringify(evidence)).not.toContain('\\r')
  })

  test('explains a log from standard input', async () => {
    const { out } = await machine.goldmaster(['diagnose', '--json', '-'], {
      input: 'Game.cpp(1): error C1083: Cannot open include file\r\n',
    })
    expect(JSON.parse(out.toString()).category).toBe('compile_error')
  })

  test('names a file that does not exist', async () => {
    const { code, err } = await machine.goldmaster(['diagnose', 'C:\\no\\such.log'])
    expect([code, err.toString()]).toEqual([expect.any(Number), expect.stringContaining('C:\\no\\such.log')])
    expect(code).not.toBe(0)
  })

  test('prints the completion for PowerShell', async () => {
    expect((await machine.goldmaster(['completion', 'powershell'])).out.toString()).toContain('Register-ArgumentCompleter')
  })

  test('completes words', async () => {
    expect((await machine.goldmaster(['__complete', 'bui'])).out.toString()).toBe('builds\n')
  })

  test('refuses a wrong option with exit code 2', async () => {
    expect(await machine.goldmaster(['builds', 'list', '--nonsense'])).toMatchObject({ code: 2 })
  })

  test('says that it is not signed in with exit code 4', async () => {
    expect(await machine.goldmaster(['projects', 'list'], { env: { GOLDMASTER_HOST: site() } })).toMatchObject({ code: 4 })
  })

  test('says that the service is away, without a stack', async () => {
    const { code, err } = await machine.goldmaster(['projects', 'list'], {
      env: { GOLDMASTER_HOST: 'http://127.0.0.1:9', GOLDMASTER_TOKEN: token },
    })
    expect(code).toBe(1)
    expect(err.toString()).toMatch(/^goldmaster: .*127\.0\.0\.1:9/)
    expect(err.toString()).not.toContain('    at ')
  })

  test('prints letters of other alphabets as UTF-8', async () => {
    const project = String(room.tools.project)
    const title = 'Größe der 日本語 Datei'
    const env = signedIn()
    const created = await machine.goldmaster(['tasks', 'create', '--project', project, '--title', title, '--pick', 'title'], {
      env,
    })
    expect([created.out.toString(), created.err.toString()]).toEqual([`${title}\n`, ''])
  })
})
