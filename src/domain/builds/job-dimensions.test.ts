import { expect, test } from 'vitest'
import type { LogTarget } from '../../measures/read-target.ts'
import { inferDimensions, type JobPattern } from './job-dimensions.ts'

interface Rest {
  branch?: string
  patterns?: JobPattern[]
  log?: LogTarget
}

function of(job: string, { branch = '', patterns = [], log }: Rest = {}) {
  const { platform, configuration } = inferDimensions({ job, branch, patterns, ...(log && { log }) })
  return [platform, configuration]
}

test.each([
  ['Game-Win64', 'Win64', null],
  ['Game_PS5_Shipping', 'PS5', 'Shipping'],
  ['Package XboxSeries Test build', 'XSX', null],
  ['Cook Xbox Series X|S', 'XSX', null],
  ['cook.XSX.Development', 'XSX', 'Development'],
  ['Nightly/Switch/Debug', 'Switch', 'Debug'],
  ['Switch2 DebugGame', 'Switch2', 'DebugGame'],
  ['LinuxServer-Shipping', 'Linux', 'Shipping'],
  ['GameMacShipping', 'Mac', 'Shipping'],
  ['build-macOS', 'Mac', null],
  ['Android_Shipping', 'Android', 'Shipping'],
  ['MyGameIOS', 'iOS', null],
  ['unity StandaloneWindows64', 'Win64', null],
  ['Nightly', null, null],
  ['Web page tests', null, null],
  ['Winter event', null, null],
  ['Machine learning', null, null],
  ['Upload debug symbols PS5', 'PS5', null],
])('the job %s is for %s %s', (job, platform, configuration) => {
  expect(of(job)).toEqual([platform, configuration])
})

test('a job that names two platforms or configurations has none of them', () => {
  expect(of('Cook PS5 on Linux')).toEqual([null, null])
  expect(of('Win64 Development and Shipping')).toEqual(['Win64', null])
  expect(of('Windows Win64')).toEqual(['Win64', null])
})

test('the branch at the end of a multibranch job is no configuration', () => {
  expect(of('Game/development', { branch: 'development' })).toEqual([null, null])
  expect(of('Game/feature%2Fshipping', { branch: 'feature/shipping' })).toEqual([null, null])
  expect(of('Game-Win64-Shipping/development', { branch: 'development' })).toEqual(['Win64', 'Shipping'])
})

test('a log that contradicts the name of the job leaves the platform unknown', () => {
  expect(of('Cook Win64', { log: { platforms: ['PS5'], configurations: ['Shipping'] } })).toEqual([null, 'Shipping'])
  expect(of('Cook Win64', { log: { platforms: ['WindowsNoEditor', 'x64'], configurations: [] } })).toEqual(['Win64', null])
  expect(of('Nightly', { log: { platforms: ['PS5', 'XSX'], configurations: ['Test'] } })).toEqual([null, 'Test'])
})

test("a project's pattern counts before the name and the log", () => {
  const patterns = [
    { pattern: 'nightly-kraken-*', platform: 'playstation5' },
    { pattern: '*', configuration: 'test' },
  ]
  const log = { platforms: ['Win64'], configurations: ['Shipping'] }
  expect(of('Nightly-Kraken-7', { patterns, log })).toEqual(['PS5', 'Test'])
})
