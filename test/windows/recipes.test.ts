import { copyFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RUN_CLIENT } from '../support/built.ts'
import { azureLine, hordeLine, jenkinsStep, lineIn, readExample, teamCityLine } from '../support/files/recipe-lines.ts'
import { type BuildRoom, openBuildRoom } from '../support/studios/build-room.ts'
import { workOff } from '../support/work-off.ts'
import { describeOnWindows, WindowsMachine } from './machine.ts'

const MEASURE = '##goldmaster[measure name=load_time unit=s value=3.2]'
/** What a person writes on a Windows agent. */
const onWindows = (line: string) => line.replace('./build.sh', 'build.bat')

describeOnWindows('the build recipes on Windows', () => {
  let machine: WindowsMachine
  let room: BuildRoom
  beforeAll(async () => {
    room = await openBuildRoom()
    machine = await WindowsMachine.start('recipes')
    copyFileSync(RUN_CLIENT, machine.path(machine.write('ci\\goldmaster-run.mjs', '')))
    const step = jenkinsStep('bat', '%GOLDMASTER_HOST%')
    const scripts: Record<string, string> = {
      'unreal-uat.bat': readExample('unreal/uat.bat'),
      'unreal-build.bat': readExample('unreal/build.bat'),
      'unity-build.bat': readExample('unity/build.bat'),
      'jenkins.bat': lineIn('jenkins/Jenkinsfile', / bat '(.+)'/).replaceAll('\\\\', '\\'),
      // Wine has no curl: a script in its place.
      'jenkins-step.bat': step.lines.replace(' curl ', ' call curl '),
      'teamcity.bat': onWindows(teamCityLine()),
      'horde.bat': onWindows(hordeLine()),
      'azure.bat': onWindows(azureLine()),
    }
    for (const [name, lines] of Object.entries(scripts))
      machine.write(`recipes\\${name}`, `@echo off\r\n${lines.replace(/\r?\n/g, '\r\n')}\r\n`)
    machine.write('.goldmaster-build.bat', onWindows(step.build))
    machine.write(
      'curl.bat',
      '@if not "%~8"=="%CLIENT_AT%/goldmaster-run.mjs" exit /b 7\r\n@copy ci\\goldmaster-run.mjs %7 >nul\r\n',
    )
    // In place of the builds: a script that leaves a test report and an artifact, and prints a measure and its words.
    machine.write(
      'leaves.cjs',
      `const fs = require('node:fs'), [report, artifact, ...words] = process.argv.slice(2)
       for (const file of [report, artifact]) fs.mkdirSync(require('node:path').dirname(file), { recursive: true })
       const tests = ['a', 'b'].map((name) => ({ testDisplayName: name, fullTestPath: 'Game.' + name, state: 'Success', entries: [] }))
       fs.writeFileSync(report, report.endsWith('json') ? JSON.stringify({ tests }) : '<testsuite name="s"><testcase name="a"/><testcase name="b"/></testsuite>')
       fs.writeFileSync(artifact, '1234567')
       console.log('${MEASURE}')
       console.log('built', ...words)
       process.exitCode = Number(process.env.FAILS ?? 0)`,
    )
    const build = (report: string, artifact: string) => `@"${machine.node}" leaves.cjs ${report} ${artifact} %*\r\n`
    machine.write('build.bat', build('Saved\\Reports\\unit.xml', 'Saved\\Game.pak'))
    machine.write('Engine\\Build\\BatchFiles\\RunUAT.bat', build('Saved\\Reports\\index.json', 'Saved\\Game.pak'))
    machine.write('Engine\\Build\\BatchFiles\\Build.bat', build('Saved\\Reports\\index.json', 'Binaries\\Win64\\Game.exe'))
    machine.write('My Unity\\Unity.bat', build('TestResults\\play.xml', 'Builds\\Game.exe'))
  })
  afterAll(async () => {
    machine?.stop()
    await room?.close()
  })

  const start = (file: string, number: string, words: string[], env: Record<string, string> = {}) =>
    machine.run('cmd.exe', ['/d', '/c', `recipes\\${file}`, ...words], {
      env: {
        GOLDMASTER_HOST: room.tools.studio.site,
        GOLDMASTER_WEBHOOK_TOKEN: room.tools.tokenOf('jenkins'),
        GOLDMASTER_JOB: 'Game',
        GOLDMASTER_NUMBER: number,
        Path: 'Z:\\windows;C:\\windows\\system32;C:\\windows',
        CLIENT_AT: room.tools.studio.site,
        UNITY: 'My Unity\\Unity.bat',
        ...env,
      },
    })

  test.each([
    ['jenkins.bat', 'saved/Game.pak', true],
    ['jenkins-step.bat', 'saved/Game.pak', true],
    ['teamcity.bat', 'saved/Game.pak', true],
    ['horde.bat', 'saved/Game.pak', true],
    ['azure.bat', 'saved/Game.pak', true],
    ['unreal-uat.bat', 'saved/Game.pak', true],
    // UnrealBuildTool runs no tests.
    ['unreal-build.bat', 'binaries/win64/game.exe', false],
    ['unity-build.bat', 'builds/game.exe', true],
  ])(
    '%s reports a build with its artifacts, tests and measures, and keeps its exit code and its words',
    async (file, artifact, hasTests) => {
      const words = /^un/.test(file) ? ['-project=My Game.uproject'] : []
      const sent = hasTests ? expect.stringContaining('2 tests in 1 file, 0 failed') : ''
      const passed = await start(file, file, words)
      expect([passed.code, passed.err.toString()]).toEqual([0, sent])
      expect(passed.out.toString()).toContain(words.length > 0 ? '-project=My Game.uproject' : 'built')
      await workOff(room.tools.studio, 'read_log')
      const build = await room.known(file)
      expect(build).toMatchObject({ status: 'completed', measures: [{ name: 'load_time', value: 3.2, unit: 's' }] })
      expect(build.artifacts.map(({ name }: { name: string }) => name.toLowerCase())).toEqual([artifact.toLowerCase()])
      if (hasTests) expect(await room.tools.api(`build_runs/${build.id}/tests`)).toMatchObject({ passed: 2 })

      const failed = await start(file, `${file} fails`, words, { FAILS: '3221225786' })
      expect([failed.code, failed.err.toString()]).toEqual([3_221_225_786, sent])
      expect(await room.known(`${file} fails`)).toMatchObject({ status: 'failed' })
    },
  )

  test('the shared step of Jenkins builds also if the client cannot be downloaded', async () => {
    const { code, out } = await start('jenkins-step.bat', 'away', [], { GOLDMASTER_HOST: 'http://127.0.0.1:9', FAILS: '7' })
    expect([code, out.toString()]).toEqual([7, expect.stringContaining('built')])
  })
})
