import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { copyFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RUN_CLIENT } from './support/built.ts'
import { azureLine, EXAMPLES, hordeLine, jenkinsStep, lineIn, readExample, teamCityLine } from './support/files/recipe-lines.ts'
import { type BuildRoom, openBuildRoom } from './support/studios/build-room.ts'
import { workOff } from './support/work-off.ts'

/** The lines of each recipe in `examples/`, run as its CI would, with the CI's variables, against a real service. */

/** The script of the action, with the inputs of the workflow. */
function gitHubScript() {
  const inputOf = (name: string) => lineIn('github-action/workflow.yml', new RegExp(`^ +${name}: (.+)$`, 'm'))
  const script = readExample('github-action/action.yml').split('      run: |\n')[1]!.replace(/^ {8}/gm, '')
  put('action.sh', script)
  return `TESTS='${inputOf('tests')}' ARTIFACTS='${inputOf('artifacts')}' BUILD='${inputOf('run')}' bash -e action.sh`
}

/** The shared step, with its build saved as Jenkins does. */
function jenkinsScript() {
  const { build, lines } = jenkinsStep('sh', `'"$GOLDMASTER_HOST"'`)
  put('.goldmaster-build.sh', build)
  return lines
}

interface Recipe {
  /** What the CI's shell runs. */
  lines(): string
  /** The variables of the CI. */
  env: Record<string, string>
  job: string
  number: string
  more?: object
  /** The tool runs none. */
  tests?: false
}

const COMMIT = 'c'.repeat(40)
const RECIPES: Record<string, Recipe> = {
  Jenkins: {
    lines: () => lineIn('jenkins/Jenkinsfile', / sh '(.+)'/),
    env: { JENKINS_URL: 'https://j.example/', JOB_NAME: 'Star', BUILD_NUMBER: '1', BRANCH_NAME: 'main', P4_CHANGELIST: '812' },
    job: 'Star',
    number: '1',
    more: { branch: 'main', changelist: '812' },
  },
  'Jenkins with a shared step': {
    lines: jenkinsScript,
    env: { JENKINS_URL: 'https://j.example/', JOB_NAME: 'Shared', BUILD_NUMBER: '7', GIT_BRANCH: 'origin/main' },
    job: 'Shared',
    number: '7',
    more: { branch: 'main' },
  },
  'GitHub Actions': {
    lines: gitHubScript,
    env: {
      GITHUB_ACTIONS: 'true',
      GITHUB_WORKFLOW: 'Nightly',
      GITHUB_JOB: 'win64',
      GITHUB_RUN_NUMBER: '12',
      GITHUB_REF_NAME: 'main',
      RUNNER_TEMP: '.',
    },
    job: 'Nightly/win64',
    number: '12',
    more: { branch: 'main' },
  },
  GitLab: {
    lines: () => lineIn('gitlab/.gitlab-ci.yml', /script:\n +- (.+)/),
    env: { GITLAB_CI: 'true', CI_JOB_NAME: 'build', CI_PIPELINE_IID: '2', CI_COMMIT_REF_NAME: 'main', CI_COMMIT_SHA: COMMIT },
    job: 'build',
    number: '2',
    more: { branch: 'main' },
  },
  'Azure Pipelines': {
    lines: azureLine,
    env: {
      TF_BUILD: 'True',
      BUILD_DEFINITIONNAME: 'Star',
      SYSTEM_JOBDISPLAYNAME: 'Win64',
      BUILD_BUILDNUMBER: '20260301.4',
      SYSTEM_JOBATTEMPT: '1',
      BUILD_SOURCEBRANCH: 'refs/heads/main',
    },
    job: 'Star/Win64',
    number: '20260301.4',
  },
  TeamCity: {
    lines: teamCityLine,
    env: {
      TEAMCITY_VERSION: '2026.1',
      TEAMCITY_PROJECT_NAME: 'Star',
      TEAMCITY_BUILDCONF_NAME: 'Win64',
      BUILD_NUMBER: '310',
      BUILD_VCS_NUMBER: '81234',
    },
    job: 'Star/Win64',
    number: '310',
    more: { changelist: '81234' },
  },
  Horde: {
    lines: hordeLine,
    env: {
      UE_HORDE_JOBID: '65a',
      UE_HORDE_STEPID: '1f',
      UE_HORDE_TEMPLATENAME: 'Nightly',
      UE_HORDE_STEPNAME: 'Build Game',
      uebp_CL: '4711',
      uebp_BuildRoot_P4: '//star/main',
    },
    job: 'Nightly/Build Game',
    number: '65a-1f',
    more: { changelist: '4711' },
  },
  Buildkite: {
    lines: () => `sh '${join(EXAMPLES, 'buildkite-plugin/hooks/command')}'`,
    env: {
      BUILDKITE: 'true',
      BUILDKITE_PIPELINE_SLUG: 'star',
      BUILDKITE_STEP_KEY: 'build',
      BUILDKITE_BUILD_NUMBER: '88',
      BUILDKITE_RETRY_COUNT: '0',
      BUILDKITE_BRANCH: 'main',
      BUILDKITE_COMMAND: lineIn('buildkite-plugin/pipeline.yml', /command: (.+)/),
      BUILDKITE_PLUGIN_GOLDMASTER_TESTS: lineIn('buildkite-plugin/pipeline.yml', /tests: (.+)/),
      BUILDKITE_PLUGIN_GOLDMASTER_ARTIFACTS: lineIn('buildkite-plugin/pipeline.yml', /artifacts: (.+)/),
    },
    job: 'star/build',
    number: '88',
    more: { branch: 'main' },
  },
  'AutomationTool of Unreal': {
    lines: () => `sh '${join(EXAMPLES, 'unreal/uat.sh')}' BuildCookRun -project='My Game.uproject'`,
    env: { GOLDMASTER_JOB: 'Cook', GOLDMASTER_NUMBER: '5' },
    job: 'Cook',
    number: '5',
    more: { build_type: 'unreal' },
  },
  UnrealBuildTool: {
    lines: () => `sh '${join(EXAMPLES, 'unreal/build.sh')}' GameEditor Linux Development`,
    env: { GOLDMASTER_JOB: 'Editor', GOLDMASTER_NUMBER: '9' },
    job: 'Editor',
    number: '9',
    more: { build_type: 'unreal' },
    tests: false,
  },
  Unity: {
    lines: () => `sh '${join(EXAMPLES, 'unity/build.sh')}'`,
    env: { GOLDMASTER_JOB: 'Player', GOLDMASTER_NUMBER: '6', UNITY: './Unity' },
    job: 'Player',
    number: '6',
    more: { build_type: 'unity' },
  },
}

const JUNIT = '<testsuite name="s"><testcase name="a"/><testcase name="b"/></testsuite>'
const UNREAL = JSON.stringify({
  tests: ['a', 'b'].map((name) => ({ testDisplayName: name, fullTestPath: `Game.${name}`, state: 'Success', entries: [] })),
})
const MEASURE = '##goldmaster[measure name=load_time unit=s value=3.2]'

let room: BuildRoom
const put = (path: string, content: string) => {
  mkdirSync(dirname(join(room.folder, path)), { recursive: true })
  writeFileSync(join(room.folder, path), content, { mode: 0o755 })
}
/** A program in place of a build: it writes a test report and an artifact, and prints a measure and its words. */
const builder = (report: string, content: string, artifact: string) =>
  `#!/bin/sh
  mkdir -p '${dirname(report)}' '${dirname(artifact)}'
  printf '%s' '${content}' >'${report}'
  echo 1234567 >'${artifact}'
  echo '${MEASURE}'
  echo "built $*"
  exit \${FAILS:-0}\n`

beforeAll(async () => {
  room = await openBuildRoom()
  put('build.sh', builder('Saved/Reports/unit.xml', JUNIT, 'Saved/Game.pak'))
  put('Engine/Build/BatchFiles/RunUAT.sh', builder('Saved/Reports/index.json', UNREAL, 'Saved/Game.pak'))
  for (const host of ['Linux', 'Mac'])
    put(`Engine/Build/BatchFiles/${host}/Build.sh`, builder('Intermediate/none.xml', JUNIT, 'Binaries/Linux/Game.exe'))
  put('Unity', builder('TestResults/play.xml', JUNIT, 'Builds/Game.exe'))
  mkdirSync(join(room.folder, 'ci'))
  copyFileSync(RUN_CLIENT, join(room.folder, 'ci/goldmaster-run.mjs'))
})
afterAll(() => room?.close())

async function shell(lines: string, env: Record<string, string>) {
  const own = { PATH: process.env.PATH!, HOME: room.folder, GOLDMASTER_WEBHOOK_TOKEN: room.tools.tokenOf('jenkins') }
  const running = spawn('sh', ['-e', '-c', lines], {
    cwd: room.folder,
    env: { ...own, GOLDMASTER_HOST: room.tools.studio.site, ...env },
  })
  const [out, err, [code]] = await Promise.all([text(running.stdout), text(running.stderr), once(running, 'close')])
  return { out, err, code }
}

const buildOf = async ({ job, number }: Recipe) => {
  const { build_runs } = await room.tools.api(`search/build_runs?job=${encodeURIComponent(job)}&limit=50`)
  const [{ id }] = build_runs.filter((build: { build_number: string }) => build.build_number === number)
  return room.tools.api(`build_runs/${id}`)
}

test.skipIf(process.platform === 'win32').each(Object.entries(RECIPES))(
  'the recipe for %s reports a build with its tests, artifacts and measures',
  async (_, recipe) => {
    const { code, out, err } = await shell(recipe.lines(), recipe.env)
    expect([code, out, err]).toEqual([
      0,
      expect.stringContaining('built'),
      recipe.tests === false ? '' : expect.stringContaining('2 tests in 1 file, 0 failed'),
    ])
    await workOff(room.tools.studio, 'read_log')
    const build = await buildOf(recipe)
    expect(build).toMatchObject({ status: 'completed', ...recipe.more })
    expect(build.artifacts).toMatchObject([{ name: expect.stringMatching(/Game\.(?:pak|exe)$/), size_bytes: 8 }])
    expect(build.measures).toMatchObject([{ name: 'load_time', value: 3.2, unit: 's' }])
    if (recipe.tests !== false) expect(await room.tools.api(`build_runs/${build.id}/tests`)).toMatchObject({ passed: 2 })
  },
)

// They wait for the service that is away.
test.skipIf(process.platform === 'win32').concurrent.each(Object.entries(RECIPES))(
  'the recipe for %s keeps the exit code of a failed build, also while the service is away',
  async (_, { lines, env }) => {
    const away = { GOLDMASTER_HOST: 'http://127.0.0.1:9', GOLDMASTER_SPOOL: join(room.folder, 'spool') }
    expect(await shell(lines(), { ...env, ...away, FAILS: '7' })).toMatchObject({
      code: 7,
      out: expect.stringContaining('built'),
    })
  },
)

test('the arguments of AutomationTool arrive unchanged', async () => {
  const { out } = await shell(RECIPES['AutomationTool of Unreal']!.lines(), { GOLDMASTER_JOB: 'Cook', GOLDMASTER_NUMBER: '7' })
  expect(out).toContain('built BuildCookRun -project=My Game.uproject\n')
})

test('no recipe names the token, and each takes the client from the same place', () => {
  const files = ['jenkins/Jenkinsfile', 'gitlab/.gitlab-ci.yml', 'azure-pipelines/azure-pipelines.yml', 'horde/Goldmaster.xml']
  const others = ['teamcity/goldmaster-run.xml', 'buildkite-plugin/hooks/command', 'unreal/uat.sh', 'unity/build.sh']
  for (const file of [...files, ...others])
    expect([file, readExample(file)]).toEqual([file, expect.stringContaining('ci/goldmaster-run.mjs')])
  for (const file of [...files, ...others]) expect(readExample(file)).not.toMatch(/--token|\b[0-9a-f]{64}\b/)
})
