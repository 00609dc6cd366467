/** A CI's environment variables: for each fact the variables to combine; the first ones that are all set win. */
interface Ci {
  name: string
  /** Set by this CI and no other. */
  sign: string
  job: string[]
  number: string[]
  /** The attempt of the same number; `from` is the first one's value. */
  attempt?: { variable: string; from: number }
  branch: string[]
  /** A commit or a changelist, whichever the source has. */
  revision: string[]
  url: string[]
  /** The pull request and its target branch: CIs set both for a pull request, and neither otherwise. */
  pull_request?: string
  target_branch?: string
  /** True for a build of changes that are not submitted. */
  preflight?: string
  /** The sections of its logs: a line that starts one, and one that ends it if the next does not. */
  parts?: { begins: RegExp; ends?: RegExp }
}

const GROUPS = { begins: /^(?:##\[group\]|::group::)(.+)/m, ends: /^(?:##\[endgroup\]|::endgroup::)/m }

export const CIS: readonly Ci[] = [
  {
    name: 'Jenkins',
    sign: 'JENKINS_URL',
    job: ['{JOB_NAME}'],
    number: ['{BUILD_NUMBER}'],
    branch: ['{BRANCH_NAME}', '{GIT_BRANCH}', '{P4_STREAM}'],
    revision: ['{P4_CHANGELIST}', '{GIT_COMMIT}', '{SVN_REVISION}'],
    url: ['{BUILD_URL}'],
    pull_request: 'CHANGE_ID',
    target_branch: 'CHANGE_TARGET',
  },
  {
    name: 'GitHub Actions',
    sign: 'GITHUB_ACTIONS',
    job: ['{GITHUB_WORKFLOW}/{GITHUB_JOB}'],
    number: ['{GITHUB_RUN_NUMBER}'],
    attempt: { variable: 'GITHUB_RUN_ATTEMPT', from: 1 },
    branch: ['{GITHUB_HEAD_REF}', '{GITHUB_REF_NAME}'],
    revision: ['{P4_CHANGELIST}', '{GITHUB_SHA}'],
    url: ['{GITHUB_SERVER_URL}/{GITHUB_REPOSITORY}/actions/runs/{GITHUB_RUN_ID}'],
    // For a pull request this is `16/merge`.
    pull_request: 'GITHUB_REF_NAME',
    target_branch: 'GITHUB_BASE_REF',
    parts: GROUPS,
  },
  {
    name: 'GitLab',
    sign: 'GITLAB_CI',
    job: ['{CI_JOB_NAME}'],
    number: ['{CI_PIPELINE_IID}', '{CI_JOB_ID}'],
    branch: ['{CI_MERGE_REQUEST_SOURCE_BRANCH_NAME}', '{CI_COMMIT_REF_NAME}'],
    revision: ['{P4_CHANGELIST}', '{CI_COMMIT_SHA}'],
    url: ['{CI_JOB_URL}'],
    pull_request: 'CI_MERGE_REQUEST_IID',
    target_branch: 'CI_MERGE_REQUEST_TARGET_BRANCH_NAME',
    parts: { begins: /section_start:\d+:([\w.-]+)/, ends: /section_end:\d+:/ },
  },
  {
    name: 'TeamCity',
    sign: 'TEAMCITY_VERSION',
    job: ['{TEAMCITY_PROJECT_NAME}/{TEAMCITY_BUILDCONF_NAME}'],
    number: ['{BUILD_NUMBER}'],
    branch: ['{TEAMCITY_BUILD_BRANCH}'],
    revision: ['{P4_CHANGELIST}', '{BUILD_VCS_NUMBER}'],
    url: ['{BUILD_URL}'],
    preflight: 'BUILD_IS_PERSONAL',
    parts: { begins: /^##teamcity\[blockOpened [^\]]*name='((?:[^'|]|\|.)+)'/m, ends: /^##teamcity\[blockClosed /m },
  },
  {
    name: 'Buildkite',
    sign: 'BUILDKITE',
    job: [
      '{BUILDKITE_PIPELINE_SLUG}/{BUILDKITE_STEP_KEY}',
      '{BUILDKITE_PIPELINE_SLUG}/{BUILDKITE_LABEL}',
      '{BUILDKITE_PIPELINE_SLUG}',
    ],
    number: ['{BUILDKITE_BUILD_NUMBER}'],
    attempt: { variable: 'BUILDKITE_RETRY_COUNT', from: 0 },
    branch: ['{BUILDKITE_BRANCH}'],
    revision: ['{P4_CHANGELIST}', '{BUILDKITE_COMMIT}'],
    url: ['{BUILDKITE_BUILD_URL}#{BUILDKITE_JOB_ID}', '{BUILDKITE_BUILD_URL}'],
    pull_request: 'BUILDKITE_PULL_REQUEST',
    target_branch: 'BUILDKITE_PULL_REQUEST_BASE_BRANCH',
    parts: { begins: /^(?:---|\+\+\+|~~~) (.+)/m },
  },
  {
    name: 'Azure Pipelines',
    sign: 'TF_BUILD',
    job: ['{BUILD_DEFINITIONNAME}/{SYSTEM_JOBDISPLAYNAME}', '{BUILD_DEFINITIONNAME}'],
    number: ['{BUILD_BUILDNUMBER}'],
    attempt: { variable: 'SYSTEM_JOBATTEMPT', from: 1 },
    branch: ['{SYSTEM_PULLREQUEST_SOURCEBRANCH}', '{BUILD_SOURCEBRANCH}'],
    revision: ['{P4_CHANGELIST}', '{BUILD_SOURCEVERSION}'],
    url: ['{SYSTEM_COLLECTIONURI}{SYSTEM_TEAMPROJECT}/_build/results?buildId={BUILD_BUILDID}'],
    pull_request: 'SYSTEM_PULLREQUEST_PULLREQUESTID',
    target_branch: 'SYSTEM_PULLREQUEST_TARGETBRANCH',
    parts: GROUPS,
  },
  {
    name: 'CircleCI',
    sign: 'CIRCLECI',
    job: ['{CIRCLE_JOB}'],
    number: ['{CIRCLE_BUILD_NUM}'],
    branch: ['{CIRCLE_BRANCH}', '{CIRCLE_TAG}'],
    revision: ['{P4_CHANGELIST}', '{CIRCLE_SHA1}'],
    url: ['{CIRCLE_BUILD_URL}'],
  },
  {
    name: 'Horde',
    sign: 'UE_HORDE_JOBID',
    job: ['{UE_HORDE_TEMPLATENAME}/{UE_HORDE_STEPNAME}', '{UE_HORDE_TEMPLATENAME}', '{UE_HORDE_STEPNAME}'],
    number: ['{UE_HORDE_JOBID}-{UE_HORDE_STEPID}', '{UE_HORDE_JOBID}'],
    branch: ['{uebp_BuildRoot_P4}', '{UE_HORDE_STREAMID}'],
    revision: ['{uebp_CL}'],
    url: ['{UE_HORDE_URL}job/{UE_HORDE_JOBID}?step={UE_HORDE_STEPID}'],
  },
]

/** The identity and origin of a build, as far as its environment shows them. */
export interface BuildFacts {
  job: string
  number: string
  branch?: string
  changelist?: string
  commit?: string
  url?: string
  /** What a preflight builds. */
  kind?: string
  shelf?: string
  pull_request?: string
  target_branch?: string
  preflight?: true
  platform?: string
  configuration?: string
  agent?: string
  measures?: readonly Measure[]
}

/** A named number of a build. */
export interface Measure {
  name: string
  value: number
  unit?: string
}

export type NamedFacts = Partial<BuildFacts> & { measure?: readonly Measure[] }

const filled = (templates: readonly string[], env: NodeJS.ProcessEnv): string | undefined => {
  for (const template of templates) {
    const variables = [...template.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!)
    if (variables.every((name) => env[name])) return template.replace(/\{(\w+)\}/g, (_, name) => env[name]!)
  }
  return undefined
}

export const ciOf = (env: NodeJS.ProcessEnv): Ci | undefined => CIS.find(({ sign }) => env[sign])

/** From flags, else our own variables, else the CI. A build without a number is named by its start time. */
export function factsOf(env: NodeJS.ProcessEnv, named: NamedFacts, began: Date): BuildFacts {
  const ci = ciOf(env)
  const told = (fact: 'job' | 'number' | 'branch' | 'url') => (ci ? filled(ci[fact], env) : undefined)
  const own = (fact: Exclude<keyof BuildFacts, 'preflight' | 'measures'>) =>
    named[fact] || env[`GOLDMASTER_${fact.toUpperCase()}`] || undefined
  const number = told('number')
  return {
    job: own('job') ?? told('job') ?? 'build',
    number: own('number') ?? (number === undefined ? timeOf(began) : `${number}${attemptOf(ci, env)}`),
    branch: own('branch') ?? told('branch'),
    ...revisionOf(own('changelist'), own('commit'), ci ? filled(ci.revision, env) : env.P4_CHANGELIST),
    url: own('url') ?? told('url'),
    platform: own('platform'),
    configuration: own('configuration'),
    agent: own('agent'),
    measures: named.measure,
    ...originOf(ci, env, own),
  }
}

/** Horde passes a shelf only as an argument of the command it starts. */
const HORDE_SHELF = /^-set:PreflightChange=(\d+)$/i

/** The shelved changelist in the arguments of the build's command. */
export const shelfOf = (command: readonly string[]): string | undefined =>
  command.map((argument) => HORDE_SHELF.exec(argument)?.[1]).find((shelf) => shelf !== undefined && shelf !== '0')

function originOf(
  ci: Ci | undefined,
  env: NodeJS.ProcessEnv,
  own: (fact: 'kind' | 'shelf' | 'pull_request' | 'target_branch') => string | undefined,
): NamedFacts {
  const set = (variable: string | undefined) => (variable === undefined ? undefined : env[variable] || undefined)
  const [pull, target] = [set(ci?.pull_request), set(ci?.target_branch)]
  const isPull = pull !== undefined && pull !== 'false' && target !== undefined
  return {
    kind: own('kind'),
    shelf: own('shelf'),
    pull_request: own('pull_request') ?? (isPull ? pull.replace(/\/merge$/, '') : undefined),
    target_branch: own('target_branch') ?? (isPull ? target : undefined),
    ...(set(ci?.preflight) === 'true' && { preflight: true as const }),
  }
}

/** A second attempt of a number is a separate build: the first one's result stays. */
function attemptOf(ci: Ci | undefined, env: NodeJS.ProcessEnv): string {
  const { variable, from } = ci?.attempt ?? { variable: '', from: 0 }
  const more = Number(env[variable] ?? from) - from
  return more > 0 ? `.${more + 1}` : ''
}

/** A short number is a changelist or a revision, anything else a commit. */
function revisionOf(changelist: string | undefined, commit: string | undefined, told: string | undefined): NamedFacts {
  if (changelist !== undefined || commit !== undefined) return { changelist, commit }
  if (!told || told === 'HEAD') return {}
  return /^\d{1,10}$/.test(told) ? { changelist: told } : { commit: told }
}

const timeOf = (began: Date) => began.toISOString().replace(/\D/g, '').slice(0, 14)
