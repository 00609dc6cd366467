import { expect, test } from 'vitest'
import { CIS, ciOf, factsOf, shelfOf } from './ci.ts'

const began = new Date('2026-03-01T10:20:30.400Z')

/** The variables of each CI, written from memory and tried on none of them (Horde's names are in its agent), and the resulting build. */
const SURROUNDINGS: Record<string, [env: Record<string, string>, facts: object]> = {
  Jenkins: [
    {
      JENKINS_URL: 'https://jenkins.example/',
      JOB_NAME: 'studio/Game-Win64',
      BUILD_NUMBER: '42',
      BUILD_URL: 'https://jenkins.example/job/studio/job/Game-Win64/42/',
      P4_CHANGELIST: '81234',
      GIT_BRANCH: 'origin/main',
    },
    {
      job: 'studio/Game-Win64',
      number: '42',
      branch: 'origin/main',
      changelist: '81234',
      url: 'https://jenkins.example/job/studio/job/Game-Win64/42/',
    },
  ],
  'GitHub Actions': [
    {
      GITHUB_ACTIONS: 'true',
      GITHUB_WORKFLOW: 'Nightly',
      GITHUB_JOB: 'win64',
      GITHUB_RUN_NUMBER: '7',
      GITHUB_RUN_ATTEMPT: '2',
      GITHUB_RUN_ID: '991',
      GITHUB_SERVER_URL: 'https://github.com',
      GITHUB_REPOSITORY: 'owl/star',
      GITHUB_HEAD_REF: '',
      GITHUB_REF_NAME: 'main',
      GITHUB_SHA: 'a'.repeat(40),
    },
    {
      job: 'Nightly/win64',
      number: '7.2',
      branch: 'main',
      commit: 'a'.repeat(40),
      url: 'https://github.com/owl/star/actions/runs/991',
    },
  ],
  GitLab: [
    {
      GITLAB_CI: 'true',
      CI_JOB_NAME: 'cook: [win64]',
      CI_PIPELINE_IID: '12',
      CI_COMMIT_REF_NAME: 'main',
      CI_COMMIT_SHA: 'b'.repeat(40),
      CI_JOB_URL: 'https://gitlab.example/-/jobs/5',
    },
    { job: 'cook: [win64]', number: '12', branch: 'main', commit: 'b'.repeat(40), url: 'https://gitlab.example/-/jobs/5' },
  ],
  TeamCity: [
    {
      TEAMCITY_VERSION: '2026.1',
      TEAMCITY_PROJECT_NAME: 'Star',
      TEAMCITY_BUILDCONF_NAME: 'Win64',
      BUILD_NUMBER: '310',
      BUILD_VCS_NUMBER: '81234',
    },
    { job: 'Star/Win64', number: '310', changelist: '81234' },
  ],
  Buildkite: [
    {
      BUILDKITE: 'true',
      BUILDKITE_PIPELINE_SLUG: 'star',
      BUILDKITE_LABEL: ':windows: cook',
      BUILDKITE_BUILD_NUMBER: '88',
      BUILDKITE_RETRY_COUNT: '1',
      BUILDKITE_BRANCH: 'main',
      BUILDKITE_COMMIT: 'HEAD',
      BUILDKITE_BUILD_URL: 'https://buildkite.com/owl/star/builds/88',
      BUILDKITE_JOB_ID: '0-1',
    },
    { job: 'star/:windows: cook', number: '88.2', branch: 'main', url: 'https://buildkite.com/owl/star/builds/88#0-1' },
  ],
  'Azure Pipelines': [
    {
      TF_BUILD: 'True',
      BUILD_DEFINITIONNAME: 'Star',
      SYSTEM_JOBDISPLAYNAME: 'Win64',
      BUILD_BUILDNUMBER: '20260301.4',
      SYSTEM_JOBATTEMPT: '1',
      BUILD_SOURCEBRANCH: 'refs/heads/main',
      BUILD_SOURCEVERSION: 'c'.repeat(40),
      SYSTEM_COLLECTIONURI: 'https://dev.azure.com/owl/',
      SYSTEM_TEAMPROJECT: 'star',
      BUILD_BUILDID: '77',
    },
    {
      job: 'Star/Win64',
      number: '20260301.4',
      branch: 'refs/heads/main',
      commit: 'c'.repeat(40),
      url: 'https://dev.azure.com/owl/star/_build/results?buildId=77',
    },
  ],
  CircleCI: [
    {
      CIRCLECI: 'true',
      CIRCLE_JOB: 'cook',
      CIRCLE_BUILD_NUM: '5',
      CIRCLE_BRANCH: 'main',
      CIRCLE_SHA1: 'd'.repeat(40),
      CIRCLE_BUILD_URL: 'https://circleci.com/gh/owl/star/5',
    },
    { job: 'cook', number: '5', branch: 'main', commit: 'd'.repeat(40), url: 'https://circleci.com/gh/owl/star/5' },
  ],
  Horde: [
    {
      UE_HORDE_JOBID: '64f0',
      UE_HORDE_STEPID: '1a2b',
      UE_HORDE_TEMPLATENAME: 'Incremental',
      UE_HORDE_STEPNAME: 'Cook Win64',
      UE_HORDE_URL: 'https://horde.example/',
      uebp_CL: '81234',
      uebp_BuildRoot_P4: '//game/main',
    },
    {
      job: 'Incremental/Cook Win64',
      number: '64f0-1a2b',
      branch: '//game/main',
      changelist: '81234',
      url: 'https://horde.example/job/64f0?step=1a2b',
    },
  ],
}

test.each(CIS.map(({ name }) => name))('on %s a build is identified by its variables', (name) => {
  const [env, facts] = SURROUNDINGS[name]!
  expect(ciOf(env)?.name).toBe(name)
  expect(JSON.parse(JSON.stringify(factsOf(env, {}, began)))).toEqual(facts)
})

test.each([
  ['Jenkins', { CHANGE_ID: '16', CHANGE_TARGET: 'main' }, { pull_request: '16', target_branch: 'main' }],
  ['GitHub Actions', { GITHUB_BASE_REF: 'main', GITHUB_REF_NAME: '16/merge' }, { pull_request: '16', target_branch: 'main' }],
  ['GitLab', { CI_MERGE_REQUEST_IID: '16', CI_MERGE_REQUEST_TARGET_BRANCH_NAME: 'main' }, { pull_request: '16' }],
  ['TeamCity', { BUILD_IS_PERSONAL: 'true' }, { preflight: true }],
  ['Buildkite', { BUILDKITE_PULL_REQUEST: '16', BUILDKITE_PULL_REQUEST_BASE_BRANCH: 'main' }, { pull_request: '16' }],
  [
    'Azure Pipelines',
    { SYSTEM_PULLREQUEST_PULLREQUESTID: '16', SYSTEM_PULLREQUEST_TARGETBRANCH: 'refs/heads/main' },
    { pull_request: '16', target_branch: 'refs/heads/main' },
  ],
])('on %s a pull request or a personal build is reported as a preflight', (name, more, facts) => {
  const [env] = SURROUNDINGS[name]!
  expect(factsOf({ ...env, ...more }, {}, began)).toMatchObject(facts)
  // A job may have a parameter of that name, and Buildkite sets "false".
  const none = factsOf({ ...env, CHANGE_ID: '1204', BUILDKITE_PULL_REQUEST: 'false' }, {}, began)
  expect(none.pull_request ?? none.preflight).toBeUndefined()
})

test('the shelf of a Horde build is read from its command line', () => {
  expect(shelfOf(['RunUAT.sh', 'BuildGraph', '-set:PreflightChange=1250'])).toBe('1250')
  expect(shelfOf(['RunUAT.sh', '-set:PreflightChange=0'])).toBeUndefined()
})

test('flags come first, then our own variables', () => {
  const [env] = SURROUNDINGS.Jenkins!
  const own = { ...env, GOLDMASTER_JOB: 'ours', GOLDMASTER_BRANCH: 'release', GOLDMASTER_COMMIT: 'e'.repeat(40) }
  expect(factsOf(own, { job: 'by hand' }, began)).toMatchObject({ job: 'by hand', number: '42', branch: 'release' })
  expect(factsOf(own, {}, began)).toMatchObject({ job: 'ours', commit: 'e'.repeat(40), changelist: undefined })
})

test('an empty variable is ignored', () => {
  expect(factsOf({ ...SURROUNDINGS.Jenkins![0], GOLDMASTER_JOB: '' }, { number: '' }, began)).toMatchObject({
    job: 'studio/Game-Win64',
    number: '42',
  })
})

test('without a CI a build is named by its start time', () => {
  expect(factsOf({}, {}, began)).toMatchObject({ job: 'build', number: '20260301102030' })
})
