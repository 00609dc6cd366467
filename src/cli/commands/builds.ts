import { buildState } from '../../contract/sets.ts'
import type { Noun } from '../../terminal/command.ts'
import { extra, field, main } from '../../terminal/table.ts'
import { printInvestigation } from '../output/print-investigation.ts'
import { listCommand } from '../program/list-command.ts'
import { showCommand } from '../program/show-command.ts'
import { SUMMARIES } from '../summaries.ts'
import { artifacts, download } from './builds/artifacts.ts'
import { changes } from './builds/changes.ts'
import { ciRequests } from './builds/ci-requests.ts'
import { correct } from './builds/correct.ts'
import { investigate } from './builds/investigate.ts'
import { log } from './builds/log.ts'
import { report } from './builds/report.ts'
import { share, shareLinks, unshare } from './builds/share.ts'
import { tests } from './builds/tests.ts'
import { watch } from './builds/watch.ts'

interface Built {
  ci_job_name: string
  build_number: string
  commit_hash: string
  changelist: string
}

const job = {
  title: 'job',
  cell: (build: Built) => [build.ci_job_name, build.build_number && `#${build.build_number}`].filter(Boolean).join(' '),
  main: true,
  ends: true,
} as const
const revision = {
  title: 'revision',
  cell: (build: Built) => (build.changelist ? `CL ${build.changelist}` : build.commit_hash.slice(0, 8)),
}

const state = { title: 'status', cell: buildState }

const list = listCommand({
  route: 'listBuilds',
  rows: 'build_runs',
  noun: 'builds',
  summary: 'List the builds of a project, newest first',
  empty: 'Report one with goldmaster run, or connect your CI in the web app under Integrations.',
  page: 'builds',
  columns: [
    'id',
    state,
    job,
    { ...field('branch'), ends: true },
    revision,
    extra('duration_seconds'),
    extra('platform'),
    extra('configuration'),
    extra('agent'),
    'created_at',
  ],
  examples: [
    'builds list --status failed',
    "builds list --status failed --pick '[0].id'",
    'builds list --platform PS5 --configuration Shipping --agent BUILD-07',
    'builds list --branch main --author yuki --finished-since 2026-09-01',
    'builds list --job cinder-editor-win64 --limit 200 --json id,status',
  ],
})

const show = showCommand({
  route: 'showBuild',
  noun: 'build',
  summary: 'Show a build: steps, artifacts and its investigation',
  page: (build) => `builds/${build.id}`,
  examples: ['builds show 54', "builds show 54 --pick 'artifacts[].url'", 'builds show 54 --web'],
  async tell(build, call) {
    const { out } = call
    const { build_type, platform, configuration, agent, branch, phase, duration_seconds, started_at, finished_at, urls } = build
    out.title(`${job.cell(build) || 'Build'} (${build.id})`)
    const kind = build.kind === 'regular' ? undefined : build.kind
    const about = {
      status: buildState(build),
      kind,
      phase,
      build_type,
      platform,
      configuration,
      agent,
      branch,
      revision: revision.cell(build),
    }
    out.facts({
      ...about,
      ...(build.silent_since && { nothing_heard_since: build.silent_since }),
      ...(build.lost_at && { lost_since: build.lost_at }),
      duration_seconds,
      started_at,
      finished_at,
      page: urls.web,
    })
    out.section('Steps', build.steps, [main('name'), 'status', 'duration_seconds', 'detail'])
    out.section('Artifacts', build.artifacts, ['name', 'size_bytes', 'url'])
    if (build.investigation) await printInvestigation(build.investigation, call)
  },
})

export const builds: Noun = {
  name: 'builds',
  summary: SUMMARIES.builds,
  commands: [
    list,
    show,
    changes,
    artifacts,
    download,
    share,
    shareLinks,
    unshare,
    log,
    tests,
    watch,
    investigate,
    correct,
    ...ciRequests,
    report,
  ],
}
