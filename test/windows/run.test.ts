import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { testWith } from '../support/skippable.ts'
import { type BuildRoom, openBuildRoom } from '../support/studios/build-room.ts'
import { until } from '../support/until.ts'
import { describeOnWindows, WindowsMachine } from './machine.ts'

/** Words that a command processor or a parser of words could change. */
const WORDS = [
  'plain',
  'two words',
  'x&y',
  'a|b',
  'a<b>c',
  '50%',
  '%PATH%',
  '!x!',
  '^',
  'a^b',
  'say "hi"',
  'C:\\Game\\',
  'C:\\Program Files\\Game\\',
  '\\\\server\\share\\',
  '(x)',
  'a;b,c=d',
  "it's",
  '-clientargs="-log -unattended"',
  'größe',
  '日本語',
]
/** As Windows programs see them: also those above 255, and negative ones. */
const CODES = [0, 1, 3, 255, 256, 1000, 3_221_225_786, 4_294_967_295]

describeOnWindows('goldmaster run on Windows', () => {
  let machine: WindowsMachine
  let room: BuildRoom
  beforeAll(async () => {
    room = await openBuildRoom()
    machine = await WindowsMachine.start('run')
    machine.write('words.cjs', 'process.stdout.write(JSON.stringify(process.argv.slice(2)))')
    // Reports that are older than the build are left out.
    machine.write(
      'rewrites.cjs',
      "const fs = require('node:fs'); for (const name of process.argv.slice(2)) fs.writeFileSync(name, fs.readFileSync(name))",
    )
    machine.write('words.cmd', `@"${machine.node}" "%~dp0words.cjs" %*\r\n`)
  })
  afterAll(async () => {
    machine?.stop()
    await room?.close()
  })

  const reported = () => ({ GOLDMASTER_HOST: room.tools.studio.site, GOLDMASTER_WEBHOOK_TOKEN: room.tools.tokenOf('jenkins') })
  const build = (flags: readonly string[], command: readonly string[], env: Record<string, string> = {}) =>
    machine.goldmaster(['run', '--job', 'Game', ...flags, '--', ...command], { env: { ...reported(), ...env } })
  const unreported = (...command: string[]) => machine.goldmaster(['run', '--', ...command])

  test.each(WORDS)('gives the word %s to a program unchanged', async (word) => {
    const { out, code } = await unreported(machine.node, 'words.cjs', word, 'next')
    expect([JSON.parse(out.toString()), code]).toEqual([[word, 'next'], 0])
  })

  test.each(WORDS)('gives the word %s to a script unchanged', async (word) => {
    const { out, code } = await unreported('words.cmd', word, 'next')
    expect([JSON.parse(out.toString()), code]).toEqual([[word, 'next'], 0])
  })

  test.each(CODES)('keeps the exit code %i of a program', async (code) => {
    expect(await unreported(machine.node, '-e', `process.exit(${code})`)).toMatchObject({ code })
  })

  test.each(CODES)('keeps the exit code %i of a script', async (code) => {
    machine.write('ends.bat', `@exit /b %1\r\n`)
    expect(await unreported('ends.bat', String(code | 0))).toMatchObject({ code })
  })

  describe('finds', () => {
    test.each([
      ['a script in this folder', 'Build', 'Build.cmd'],
      ['a script in a folder below', 'Engine\\Batch Files\\RunUAT', 'Engine\\Batch Files\\RunUAT.bat'],
      ['a script by its whole path', 'Z:\\windows\\run\\whole', 'whole.bat'],
      ['a script whose name has a dot', 'Build.Game', 'Build.Game.cmd'],
    ])('%s', async (_, word, file) => {
      machine.write(file, '@echo found %1\r\n')
      expect((await unreported(word, 'it')).out.toString()).toMatch(/^found "?it"?\r\n$/)
    })

    test('a script in the folders of PATH', async () => {
      machine.write('tools\\cook.cmd', '@echo cooked\r\n')
      const { out } = await machine.goldmaster(['run', '--', 'cook'], {
        env: { Path: 'Z:\\windows\\run\\tools;C:\\windows\\system32' },
      })
      expect(out.toString()).toBe('cooked\r\n')
    })

    test('nothing for a name that does not exist, and says so', async () => {
      const { code, err } = await unreported('no-such-program')
      expect([code, err.toString()]).toEqual([127, expect.stringContaining("Can't run no-such-program: command not found")])
    })
  })

  test('passes the output on byte for byte, with its line ends, and reports it', async () => {
    const bytes = Buffer.from('first\r\nsecond\nthird\r\n')
    machine.write(
      'prints.cjs',
      `process.stdout.write(Buffer.from('${bytes.toString('base64')}', 'base64')); process.exitCode = 3`,
    )
    const { code, out } = await build(['--number', 'bytes'], [machine.node, 'prints.cjs'])
    expect([code, out]).toEqual([3, bytes])
    expect(await room.known('bytes')).toMatchObject({ status: 'failed' })
    expect(await room.log('bytes')).toBe(bytes.toString())
  })

  test('reports what a script left behind, by patterns with backslashes, drive letters and another case', async () => {
    for (const file of ['Saved\\Game.pak', 'Saved\\Deep\\Er\\Map.PAK', 'Out\\Game.exe']) machine.write(file, '1234567')
    machine.write('passes.cmd', '@echo ok\r\n')
    const globs = ['saved\\**\\*.pak', 'Z:\\windows\\run\\Out\\*.exe'].flatMap((glob) => ['--artifact', glob])
    expect(await build(['--number', 'files', ...globs], ['passes.cmd'])).toMatchObject({ code: 0 })
    const { artifacts } = await room.known('files')
    expect(artifacts.map(({ name }: { name: string }) => name).sort()).toEqual([
      'Z:/windows/run/Out/Game.exe',
      'saved/Deep/Er/Map.PAK',
      'saved/Game.pak',
    ])
  })

  test('reads files whose path is longer than 260 characters', async () => {
    const deep = `Saved\\${'a-folder-with-a-long-name\\'.repeat(12)}report.xml`
    expect(deep.length).toBeGreaterThan(260)
    machine.write(deep, '<testsuite name="s"><testcase name="deep"/></testsuite>')
    const command = [machine.node, 'rewrites.cjs', deep]
    const { code, err } = await build(['--number', 'deep', '--tests', 'Saved/**/report.xml'], command)
    expect([code, err.toString()]).toEqual([0, expect.stringContaining('1 test in 1 file, 0 failed')])
  })

  test('sends the other reports and keeps the exit code if a report is held open', async () => {
    machine.write('held\\a.xml', '<testsuite name="s"><testcase name="held"/></testsuite>')
    machine.write('held\\b.xml', '<testsuite name="s"><testcase name="free"/></testsuite>')
    // A child that outlives the build and shares the file with nobody.
    machine.write(
      'holds.cjs',
      "require('node:fs').openSync('held\\\\a.xml', 0x10000002); console.log('held'); setTimeout(() => {}, 4000)",
    )
    machine.write(
      'leaves.cjs',
      `require('./rewrites.cjs')
       const held = require('node:child_process').spawn(${JSON.stringify(machine.node)}, ['holds.cjs'], { detached: true, stdio: ['ignore', 'pipe', 'ignore'] })
       held.stdout.once('data', () => process.exit(5))`,
    )
    const { code, err } = await build(
      ['--number', 'held', '--tests', 'held/*.xml'],
      [machine.node, 'leaves.cjs', 'held\\a.xml', 'held\\b.xml'],
    )
    expect(code).toBe(5)
    expect(err.toString()).toMatch(/held\/a\.xml: EBUSY/)
    expect(err.toString()).toContain('1 test in 1 file, 0 failed')
    expect(await room.known('held')).toMatchObject({ status: 'failed' })
  })

  test('saves the end of a build in the local folder if the service is away, and sends it later', async () => {
    const away = { GOLDMASTER_HOST: 'http://127.0.0.1:9' }
    const first = await build(['--number', 'saved'], [machine.node, '-e', 'process.exit(6)'], away)
    expect([first.code, first.err.toString()]).toEqual([6, expect.stringContaining('AppData\\Local\\goldmaster\\spool')])
    // It is for another host: this one does not get it.
    const flushed = await machine.goldmaster(['run', '--flush'], { env: reported() })
    expect(flushed.err.toString()).toContain('Sent 0 reports')
    await machine.script(
      `const fs = require('node:fs'), folder = process.env.LOCALAPPDATA + '/goldmaster/spool/'
       for (const name of fs.readdirSync(folder)) fs.writeFileSync(folder + name, fs.readFileSync(folder + name, 'utf8').replace('http://127.0.0.1:9', ${JSON.stringify(room.tools.studio.site)}))`,
    )
    expect((await machine.goldmaster(['run', '--flush'], { env: reported() })).err.toString()).toContain('Sent 1 report.')
    expect(await room.known('saved')).toMatchObject({ status: 'failed' })
  })

  test.each(['SIGINT', 'SIGBREAK'])(
    'ends a build and everything it started after a second %s, and reports it as canceled',
    async (signal) => {
      machine.write('ticks.cjs', "setInterval(() => require('node:fs').writeFileSync(process.argv[2], String(Date.now())), 50)")
      machine.write(`tree-${signal}.cmd`, `@"${machine.node}" ticks.cjs tick-${signal}\r\n`)
      // The console of a person is not here: the handler is called as the console would call it.
      machine.write(
        'interrupts.cjs',
        `const { existsSync } = require('node:fs')
       if (process.argv.includes('run')) setInterval(() => existsSync('tick-${signal}') && process.emit('${signal}', '${signal}'), 300).unref()`,
      )
      const { code } = await machine.run(
        machine.node,
        ['-r', './interrupts.cjs', machine.client, 'run', '--job', 'Game', '--number', signal, '--', `tree-${signal}.cmd`],
        { env: reported() },
      )
      expect(code).not.toBe(0)
      expect(await room.known(signal)).toMatchObject({ status: 'cancelled' })
      const { out } = await machine.script(
        `const read = () => require('node:fs').readFileSync('tick-${signal}', 'utf8')
       const before = read(); setTimeout(() => console.log(before === read()), 1000)`,
      )
      expect(out.toString()).toBe('true\n')
    },
  )

  describe('in a console', () => {
    /** Writes `NAME.ready`, then its time until it ends; by itself at Ctrl+C if it is polite. */
    const program = (name: string, polite: boolean) => {
      machine.write(
        `${name}.cjs`,
        `const fs = require('node:fs')
         process.on('SIGINT', () => { fs.appendFileSync('${name}.pressed', 'x'); ${polite} && process.exit(3) })
         setInterval(() => fs.writeFileSync('${name}.tick', String(Date.now())), 50)
         fs.writeFileSync('${name}.ready', '')`,
      )
      return [machine.node, `${name}.cjs`]
    }
    const at = (file: string) => machine.path(`${machine.folder}\\${file}`)
    const start = (number: string, command: readonly string[]) =>
      machine.console([machine.client, 'run', '--job', 'Game', '--number', number, '--', ...command], reported())
    const CTRL_C = '\x03'

    testWith('script')('a build that ends itself at Ctrl+C keeps its exit code, and is reported as canceled', async () => {
      const { type, ended } = start('polite', program('polite', true))
      await until(() => existsSync(at('polite.ready')))
      type(CTRL_C)
      expect(await ended).toBe(3)
      expect(readFileSync(at('polite.pressed'), 'utf8')).toBe('x')
      expect(await room.known('polite')).toMatchObject({ status: 'cancelled' })
    })

    testWith('script')('Ctrl+C ends a script, which is reported as canceled', async () => {
      machine.write('console.cmd', `@${program('inside', true).join(' ')}\r\n@exit /b 9\r\n`)
      const { type, ended } = start('script', ['console.cmd'])
      await until(() => existsSync(at('inside.ready')))
      type(CTRL_C)
      // The last byte of STATUS_CONTROL_C_EXIT.
      expect(await ended).toBe(0x3a)
      expect(await room.known('script')).toMatchObject({ status: 'cancelled' })
    })

    testWith('script')('a second Ctrl+C ends a build that ignores the first, and what it started', async () => {
      const inner = program('inner', false)
      machine.write(
        'outer.cjs',
        `process.on('SIGINT', () => {}); require('node:child_process').spawn(${JSON.stringify(inner[0])}, ['${inner[1]}'])`,
      )
      const { type, ended } = start('stubborn', [machine.node, 'outer.cjs'])
      await until(async () => existsSync(at('inner.ready')) && (await room.known('stubborn')).status === 'building')
      type(CTRL_C)
      await until(() => existsSync(at('inner.pressed')))
      type(CTRL_C)
      expect(await ended).not.toBe(0)
      expect(await room.known('stubborn')).toMatchObject({ status: 'cancelled' })
      const before = readFileSync(at('inner.tick'), 'utf8')
      await sleep(1_000)
      expect(readFileSync(at('inner.tick'), 'utf8')).toBe(before)
    })
  })

  const logs = process.env.REAL_LOGS
  test.skipIf(!logs)(
    `passes on 25 real logs unchanged, with exit code and status${logs ? '' : ' [REAL_LOGS not set]'}`,
    async () => {
      const names = readdirSync(logs!).sort().slice(0, 25)
      machine.write(
        'plays.cjs',
        "process.stdout.write(require('node:fs').readFileSync('played.log')); process.exitCode = Number(process.argv[2])",
      )
      machine.write('plays.cmd', `@"${machine.node}" plays.cjs %1\r\n@exit /b %errorlevel%\r\n`)
      const kept = []
      for (const [index, name] of names.entries()) {
        const file = readFileSync(join(logs!, name))
        const bytes = name.endsWith('.gz') ? gunzipSync(file) : file
        machine.write('played.log', bytes)
        const given = index % 2 === 0 ? 1 : 0
        const { code, out } = await build(['--number', `log ${index}`], ['plays.cmd', String(given)])
        const { status } = await room.known(`log ${index}`)
        kept.push([
          name,
          out.equals(bytes),
          code === given,
          given === 1 ? status === 'failed' : ['completed', 'failed'].includes(status),
        ])
      }
      expect(kept).toEqual(names.map((name) => [name, true, true, true]))
    },
  )
})
