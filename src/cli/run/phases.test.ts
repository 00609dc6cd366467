import { expect, test } from 'vitest'
import { ciOf } from './ci.ts'
import { Phases } from './phases.ts'

function reading(env: Record<string, string> = {}) {
  const told: boolean[] = []
  let minute = 0
  const phases = new Phases(
    ciOf(env)?.parts,
    () => `minute ${minute++}`,
    (phase) => told.push(phase),
  )
  return { phases, told, print: (text: string) => phases.push(Buffer.from(text)) }
}

const states = ({ steps }: Phases) => steps.map(({ name, status }) => `${name} ${status}`)

test('the phases of an Unreal build are its steps', () => {
  const { phases, print } = reading()
  print('********** BUILD COMMAND STARTED **********\n********** BUILD COMMAND COMPLETED **********\n')
  print('********** COOK COMMAND STARTED **********\n')
  expect(phases.phase).toBe('cooking')
  print('UATHelper: LogCook: Display: Cooked packages 400 Packages Remain 260 Total 660\r\n')
  print('LogShaderCompilers: Display: Shaders left to compile 12\nLogShaderCompilers: Display: Shaders left to compile 0\n')
  print('********** COOK COMMAND COMPLETED **********\n********** STAGE COMMAND STARTED **********\n')
  expect(states(phases)).toEqual(['compiling completed', 'cooking completed', 'shaders completed', 'packaging running'])
  expect(phases.steps[1]).toEqual({
    name: 'cooking',
    status: 'completed',
    started_at: 'minute 2',
    finished_at: 'minute 5',
    detail: '400/660 cooked',
  })
  phases.end('failed')
  expect(states(phases).at(-1)).toBe('packaging failed')
  expect(phases.failed).toBe(false)
})

test.each([
  ['LogCook: Display: Cooking /Game/Maps/Lighthouse -> C:/build/Saved/Cooked', 'cooking'],
  ['[2026.11.01-09.12.44:113][  0]LogCook: Cooking /Engine/BasicShapes/Cube', 'cooking'],
  ['Building 412 actions with 16 processes...', 'compiling'],
  ['DisplayProgressbar: Compiling Scripts', 'compiling'],
  ['DisplayProgressbar: Incremental Player Build', 'building player'],
  ['Compiling shader "Universal Render Pipeline/Lit" pass "ForwardLit"', 'shaders'],
])('a line starts a phase implicitly: %s', (line, name) => {
  const { phases, print } = reading()
  print(`${line}\n`)
  expect(states(phases)).toEqual([`${name} running`])
})

test.each(['LogCook: Display: Cooking took 40 s', 'LogTemp: Cooking a meal', 'Building player is next'])(
  'a line that only contains the words starts none: %s',
  (line) => {
    const { phases, print } = reading()
    print(`${line}\n`)
    expect(phases.steps).toEqual([])
  },
)

test('progress of cooking differs from a new phase', () => {
  const { told, print } = reading()
  print('LogCook: Display: Cooked packages 1 Packages Remain 9 Total 10\n')
  expect(told).toEqual([true, false])
  print('LogCook: Display: Cooked packages 5 Packages Remain 5 Total 10\n')
  expect(told).toEqual([true, false, false])
})

test('lines are read completely, however they are cut', () => {
  const { phases, print } = reading()
  for (const sign of '***** COOK COMMAND STARTED *****\n') print(sign)
  expect(states(phases)).toEqual(['cooking running'])
  print(`Program.Main: ${'a long folder/'.repeat(20)} AutomationTool exi`)
  print('ting with ExitCode=1\n')
  expect(phases.failed).toBe(true)
})

test('a phase that ends twice ended the first time', () => {
  const { phases, print } = reading()
  print('***** COOK COMMAND STARTED *****\n***** COOK COMMAND COMPLETED *****\n')
  const ended = phases.steps[0]!.finished_at
  print('***** COOK COMMAND COMPLETED *****\n')
  expect(phases.steps).toMatchObject([{ status: 'completed', finished_at: ended }])
})

test.each([
  'Build Finished, Result: Failure.\n',
  'Error building Player: 3 errors\n',
  'Program.Main: AutomationTool exiting with ExitCode=25 (Error_UnknownCookFailure)\n',
  'AutomationTool exiting with ExitCode=1',
])('a build that prints it has failed: %j', (line) => {
  const { phases, print } = reading()
  print(line)
  phases.end('failed')
  expect(phases.failed).toBe(true)
})

test('a passed build prints nothing of the kind', () => {
  const { phases, print } = reading()
  print('AutomationTool exiting with ExitCode=0 (Success)\nBuild Finished, Result: Success.\n')
  phases.end('completed')
  expect(phases.failed).toBe(false)
})

test.each([
  [{ GITHUB_ACTIONS: 'true' }, '::group::Compile Größe\n', '::endgroup::\n'],
  [
    { GITLAB_CI: 'true' },
    '\x1b[0Ksection_start:1560896352:compile\r\x1b[0KCompile\n',
    '\x1b[0Ksection_end:1560896353:compile\r\x1b[0K\n',
  ],
  [{ TEAMCITY_VERSION: '1' }, "##teamcity[blockOpened name='compile']\n", "##teamcity[blockClosed name='compile']\n"],
  [{ BUILDKITE: 'true' }, '--- compile\n', '+++ next\n'],
  [{ TF_BUILD: 'True' }, '##[group]compile\n', '##[endgroup]\n'],
])('the sections of a log are steps if the CI divides it: %j', (env, begins, ends) => {
  const { phases, print } = reading(env as unknown as Record<string, string>)
  print(begins)
  expect(phases.steps).toMatchObject([{ name: expect.stringMatching(/^compile$|^Compile Größe$/), status: 'running' }])
  print(ends)
  expect(phases.steps[0]!.status).toBe('completed')
})

test('endless lines, binary data and thousands of sections do no harm', () => {
  const { phases, print } = reading({ GITHUB_ACTIONS: 'true' })
  phases.push(Buffer.from([0xff, 0, 0xfe, 0x0a]))
  for (let i = 0; i < 200; i++) print('x'.repeat(65_536))
  print('\n')
  for (let i = 0; i < 1000; i++) print(`::group::${i}\n::endgroup::\n`)
  expect(phases.steps).toHaveLength(50)
})
