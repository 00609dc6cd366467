import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CommandLine } from '../../../test/support/callers/command-line.ts'
import { annotate } from './annotate.ts'

const LOG = resolve('examples/unreal-build.log')

let line: CommandLine
beforeAll(async () => {
  line = new CommandLine()
})
afterAll(() => line.close())

test('on GitHub a diagnosis is an annotation of the line that broke; elsewhere and in JSON it is not', async () => {
  const env = { GITHUB_ACTIONS: 'true', GITHUB_WORKSPACE: 'D:\\build\\Lantern' }
  const { out } = await line.run(['diagnose', LOG], { env })
  expect(out.trimEnd().split('\n').at(-1)).toBe(
    '::error file=Source/Lantern/Harbour/BeaconComponent.cpp,line=128,title=The code does not compile::' +
      "The code does not compile (MSVC) in Source\\Lantern\\Harbour\\BeaconComponent.cpp:128: 'SetFlicker': is not a member of 'UBeaconLight'",
  )
  expect((await line.run(['diagnose', '--json', LOG], { env })).out).not.toContain('::error')
  expect((await line.run(['diagnose', LOG])).out).not.toContain('::error')
})

test('characters that would end an annotation early are escaped', async () => {
  const lines: string[] = []
  await annotate({ title: 'a:b,c', message: '50 %\nmore', file: 'x,y.cpp', line: 3 }, { GITHUB_ACTIONS: 'true' }, (text) =>
    lines.push(text),
  )
  expect(lines).toEqual(['::error file=x%2Cy.cpp,line=3,title=a%3Ab%2Cc::50 %25%0Amore'])
})

test('on Buildkite the agent gets an annotation', async () => {
  const bin = join(line.home, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'buildkite-agent'), `#!/bin/sh\necho "$@" > "${line.home}/args"; cat > "${line.home}/told"\n`)
  chmodSync(join(bin, 'buildkite-agent'), 0o755)
  await line.run(['diagnose', LOG], { env: { BUILDKITE: 'true', PATH: `${bin}:${process.env.PATH}` } })
  expect(readFileSync(join(line.home, 'args'), 'utf8')).toContain('annotate --style error --context goldmaster-')
  expect(readFileSync(join(line.home, 'told'), 'utf8')).toContain('BeaconComponent.cpp:128')
})
