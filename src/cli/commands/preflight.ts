import { setTimeout as sleep } from 'node:timers/promises'
import type { PreflightVerdict } from '../../contract/sets.ts'
import { main } from '../../terminal/table.ts'
import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

const WORDS: Record<PreflightVerdict, string> = {
  passed: 'Passed',
  failed_by_change: 'Failed by this change',
  failed_not_by_change: 'Failed, but not by this change',
  unknown: 'Unknown',
}

/** 2, 4 and 8 have their own meaning. */
const CODES: Record<PreflightVerdict, number> = { passed: 0, failed_not_by_change: 0, failed_by_change: 1, unknown: 3 }

const EVERY_MS = 5_000

export const preflight = command({
  name: 'preflight',
  summary: SUMMARIES.preflight,
  project: true,
  web: ({ project }) => `/projects/${project}/builds`,
  flags: {
    'pull-request': { help: 'Number of the pull or merge request (default: the newest preflight)', value: 'number' },
    shelf: { help: 'Shelved or pending changelist', value: 'changelist' },
    commit: { help: 'Commit in full', value: 'hash' },
    wait: { help: 'Wait this many minutes for builds and investigations to end', value: 'minutes', read: readMinutes },
  },
  shows: { route: 'showPreflight' },
  details:
    'Failures that the target branch has already, flaky ones and those of machines are not counted against the change.\nExit code 0: passed, or failed but not by this change. 1: failed by this change. 3: unknown.',
  examples: ['preflight --pull-request 42', 'preflight --shelf 120455 --wait 30'],
  async run({ client, project, flags: { 'pull-request': pull_request, shelf, commit, wait = 0 }, out }) {
    const query = { pull_request, shelf, commit }
    const until = Date.now() + wait * 60_000
    let found = await client.showPreflight({ project_id: project, query })
    while (!found.settled && Date.now() < until) {
      await sleep(EVERY_MS)
      found = await client.showPreflight({ project_id: project, query })
    }
    out.answer(found, () => {
      out.title(found.jobs.length === 0 ? 'No builds yet' : WORDS[found.verdict])
      out.facts({ commit: found.commit || undefined, target_branch: found.target_branch || undefined })
      out.section('Jobs', found.jobs, [
        'job',
        { title: 'verdict', cell: ({ verdict }) => WORDS[verdict] },
        main('reason'),
        'build_id',
      ])
      out.section(`Already broken on ${found.target_branch}`, found.branch_breakages, ['id', main('cause')])
    })
    return CODES[found.verdict]
  },
})

function readMinutes(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new Error('It must be a number of minutes.')
  return Number(text)
}
