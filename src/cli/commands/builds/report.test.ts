import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLIENT } from '../../../../test/support/built.ts'
import { standIn } from '../../../../test/support/stand-in.ts'
import { type BuildRoom, openBuildRoom } from '../../../../test/support/studios/build-room.ts'
import { setup } from '../../../intake/providers/jenkins/setup.ts'

let room: BuildRoom
beforeAll(async () => {
  room = await openBuildRoom()
})
afterAll(() => room.close())

const report = (...words: string[]) => room.start(['builds', 'report', ...words, '--job', 'Game']).ended

test('a build is reported manually, from its start to its end', async () => {
  expect(await report('started', '--number', '1', '--changelist', '81234', '--phase', 'cooking')).toMatchObject({ code: 0 })
  expect(await room.known('1')).toMatchObject({ status: 'building', changelist: '81234', phase: 'cooking' })
  writeFileSync(join(room.folder, 'build.log.gz'), gzipSync('Game.cpp(7): error C2065\n'))
  writeFileSync(join(room.folder, 'Game.pak'), '1234567')
  const { code } = await report('failure', '--number', '1', '--log', 'build.log.gz', '--artifact', '*.pak', '--duration', '90')
  expect(code).toBe(0)
  expect(await room.known('1')).toMatchObject({
    status: 'failed',
    duration_seconds: 90,
    artifacts: [{ name: 'Game.pak', size_bytes: 7 }],
  })
  expect(await room.log('1')).toBe('Game.cpp(7): error C2065\n')
})

test('a failed report prints the reason', async () => {
  const said = async (words: string[], env: Record<string, string> = {}) => {
    const { code, err } = await room.start(['builds', 'report', ...words], env).ended
    return [code, err.toString()]
  }
  expect(await said(['started'], { GOLDMASTER_WEBHOOK_TOKEN: 'f'.repeat(64) })).toEqual([
    1,
    expect.stringContaining('answered 404'),
  ])
  expect(await said(['started'], { GOLDMASTER_WEBHOOK_TOKEN: '' })).toEqual([
    1,
    expect.stringContaining('GOLDMASTER_WEBHOOK_TOKEN'),
  ])
  expect(await said(['failure', '--log', 'no-such.log'])).toEqual([1, expect.stringContaining("Can't read no-such.log")])
  expect(await said(['exploded'])).toEqual([2, expect.stringContaining('Allowed choices')])
})

/** Runs lines of bash where `curl` fetches the client from here: the test service has none built. */
async function bash(lines: string, env: Record<string, string>) {
  standIn(
    room.folder,
    'curl',
    `fs.copyFileSync(${JSON.stringify(CLIENT)}, args[args.findIndex((word) => /^-.*o$/.test(word)) + 1])`,
  )
  writeFileSync(join(room.folder, 'build.sh'), '#!/bin/sh\necho built\nexit 3\n', { mode: 0o755 })
  const PATH = `${room.folder}:${process.env.PATH}`
  const shell = spawn('bash', ['-eo', 'pipefail', '-c', lines], { cwd: room.folder, env: { PATH, HOME: room.folder, ...env } })
  const [stdout, [status]] = await Promise.all([text(shell.stdout), once(shell, 'close')])
  return { stdout, status }
}

test.skipIf(process.platform === 'win32')('the lines to paste from the guide run a build', async () => {
  const { site } = room.tools.studio
  const guide = setup({ base_url: site, token: room.tools.tokenOf('jenkins'), id: 7, url: '' })
  const lines = /```sh\n([^`]*goldmaster-run\.mjs run[^`]*)```/.exec(guide)![1]!
  expect(await bash(lines.replace('--job Game-Win64', '--job Game --number 2'), {})).toMatchObject({
    status: 3,
    stdout: 'built\n',
  })
  expect(await room.known('2')).toMatchObject({ status: 'failed' })
})

test.skipIf(process.platform === 'win32')('the script of the provided GitHub action runs a build', async () => {
  const action = readFileSync(join(import.meta.dirname, '../../../../examples/github-action/action.yml'), 'utf8')
  const script = action.split('      run: |\n')[1]!.replace(/^ {8}/gm, '')
  const env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_RUN_NUMBER: '3',
    RUNNER_TEMP: room.folder,
    GOLDMASTER_HOST: room.tools.studio.site,
    GOLDMASTER_WEBHOOK_TOKEN: room.tools.tokenOf('jenkins'),
    GOLDMASTER_JOB: 'Game',
    ARTIFACTS: 'build.sh\n*.pak\n',
    BUILD: 'echo "::group::Compile"\n./build.sh',
  }
  expect(await bash(script, env)).toMatchObject({ status: 3, stdout: '::group::Compile\nbuilt\n' })
  expect(await room.known('3')).toMatchObject({
    status: 'failed',
    steps: [{ name: 'Compile', status: 'failed' }],
    artifacts: [{ name: 'build.sh' }, { name: 'Game.pak' }],
  })
})
