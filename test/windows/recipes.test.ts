import { copyFileSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type BuildRoom, openBuildRoom } from '../support/build-room.ts'
import { RUN_CLIENT } from '../support/built.ts'
import { describeOnWindows, WindowsMachine } from './machine.ts'

const EXAMPLES = resolve(import.meta.dirname, '../../examples')
const read = (file: string) => readFileSync(join(EXAMPLES, file), 'utf8')

describeOnWindows('the build recipes on Windows', () => {
  let machine: WindowsMachine
  let room: BuildRoom
  beforeAll(async () => {
    room = await openBuildRoom()
    machine = await WindowsMachine.start('recipes')
    copyFileSync(RUN_CLIENT, machine.path(machine.write('ci\\goldmaster-run.mjs', '')))
    for (const name of ['unreal/uat.bat', 'unreal/build.bat', 'unity/build.bat'])
      machine.write(`recipes\\${name.replace('/', '-')}`, read(name))
    machine.write('recipes\\jenkins.bat', `@${/ bat '(.+)'/.exec(read('jenkins/Jenkinsfile'))![1]!.replaceAll('\\\\', '\\')}\r\n`)
    // In place of the builds: a script that leaves a test report and an artifact, and prints its words.
    machine.write(
      'leaves.cjs',
      `const fs = require('node:fs'), [report, artifact, ...words] = process.argv.slice(2)
       for (const file of [report, artifact]) fs.mkdirSync(require('node:path').dirname(file), { recursive: true })
       const tests = ['a', 'b'].map((name) => ({ testDisplayName: name, fullTestPath: 'Game.' + name, state: 'Success', entries: [] }))
       fs.writeFileSync(report, report.endsWith('json') ? JSON.stringify({ tests }) : '<testsuite name="s"><testcase name="a"/><testcase name="b"/></testsuite>')
       fs.writeFileSync(artifact, '1234567')
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

  test.each([
    ['jenkins.bat', 'saved/Game.pak', true],
    ['unreal-uat.bat', 'saved/Game.pak', true],
    // UnrealBuildTool runs no tests.
    ['unreal-build.bat', 'binaries/win64/game.exe', false],
    ['unity-build.bat', 'builds/game.exe', true],
  ])(
    '%s reports a build with its artifacts and tests, and keeps its exit code and its words',
    async (file, artifact, hasTests) => {
      const env = {
        GOLDMASTER_HOST: room.tools.studio.site,
        GOLDMASTER_WEBHOOK_TOKEN: room.tools.tokenOf('jenkins'),
        GOLDMASTER_JOB: 'Game',
        GOLDMASTER_NUMBER: file,
        Path: 'Z:\\windows;C:\\windows\\system32;C:\\windows',
        UNITY: 'My Unity\\Unity.bat',
        FAILS: '3221225786',
      }
      const script = `recipes\\${file}`
      const words = file === 'jenkins.bat' ? [] : ['-project=My Game.uproject']
      const { code, out, err } = await machine.run('cmd.exe', ['/d', '/c', script, ...words], { env })
      expect([code, err.toString()]).toEqual([
        3_221_225_786,
        hasTests ? expect.stringContaining('2 tests in 1 file, 0 failed') : '',
      ])
      expect(out.toString()).toContain(words.length > 0 ? '-project=My Game.uproject' : 'built')
      const build = await room.known(file)
      expect(build.status).toBe('failed')
      expect(build.artifacts.map(({ name }: { name: string }) => name.toLowerCase())).toEqual([artifact.toLowerCase()])
    },
  )
})
