import type { BreakageEdit } from '../../contract/bodies.ts'
import type { BreakageDetail } from '../../contract/health-shapes.ts'
import { jobsInWords } from '../../contract/labels/breakage-jobs.ts'
import { costWords, redWords, uncountedWords } from '../../contract/labels/cost-words.ts'
import type { Noun } from '../../terminal/command.ts'
import { usage } from '../../terminal/failures.ts'
import { fileText } from '../../terminal/given-text.ts'
import type { Output } from '../../terminal/output.ts'
import { extra, field, main } from '../../terminal/table.ts'
import { printEvidence } from '../output/print-evidence.ts'
import { ownIdOf, printSuspects } from '../output/print-suspects.ts'
import { withoutFolders } from '../output/without-folders.ts'
import { command } from '../program/command.ts'
import { until } from '../program/end-time.ts'
import { listCommand } from '../program/list-command.ts'
import { showCommand } from '../program/show-command.ts'
import { SUMMARIES } from '../summaries.ts'

/** In examples: an id of the demo that exists on every day. */
const NEWEST = '$(goldmaster breakages list --pick "[0].id")'

const list = listCommand({
  route: 'listBreakages',
  rows: 'breakages',
  noun: 'breakages',
  summary: 'List breakages, one per cause of failures, newest first',
  empty: 'A breakage opens when a build fails.',
  page: 'breakages',
  columns: [
    'id',
    'state',
    {
      title: 'cause',
      cell: ({ evidence, cause }, forPeople) => (forPeople ? withoutFolders : String)(evidence[0]?.text.trim() ?? cause),
      main: true,
    },
    { title: 'jobs', cell: (breakage) => jobsInWords(breakage) },
    { title: 'owner', cell: ({ owner_user_id }) => owner_user_id && `user:${owner_user_id}`, extra: true },
    extra('branch'),
    extra('build_count', 'builds'),
    'opened_at',
  ],
  examples: [
    'breakages list --state open,claimed',
    'breakages list --branch main --category compile_error',
    "breakages list --state open --pick '[0].suspects[0].change_id'",
  ],
})

const show = showCommand({
  route: 'showBreakage',
  noun: 'breakage',
  summary: 'Show a breakage: cause, suspects, builds and history',
  page: (breakage) => `breakages/${breakage.id}`,
  examples: [`breakages show ${NEWEST}`, 'breakages show 12 --web', `breakages show ${NEWEST} --pick 'builds[].id'`],
  async tell(breakage, call) {
    const { out } = call
    const { id, state, flaky, category, confidence, branch, build_count, reopened_count, task_id, urls } = breakage
    out.title(`${jobsInWords(breakage)} (${id})`)
    const { owner_user_id } = breakage
    const isYou = owner_user_id !== null && owner_user_id === (await ownIdOf(call))
    const owner = owner_user_id && (isYou ? `you (user:${owner_user_id})` : `user:${owner_user_id}`)
    out.facts({
      state,
      flaky: flaky || undefined,
      category,
      confidence,
      branch,
      builds: build_count,
      builds_not_checked: breakage.builds_not_checked || undefined,
      cost: costOf(breakage),
      owner,
      last_good: breakage.last_good_change?.display_identifier,
      first_bad: breakage.first_bad_change?.display_identifier,
      fixed_by: breakage.fixed_by_change?.display_identifier,
      fixed_between: breakage.fixed_by_change ? undefined : fixRange(breakage),
      withdrawn: breakage.withdrawn_reason?.replaceAll('_', ' '),
      same_as: breakage.same_as_breakage_id,
      opened_at: breakage.opened_at,
      last_seen_at: breakage.last_seen_at,
      muted_until: breakage.muted_until,
      fixed_at: breakage.fixed_at,
      reopened: reopened_count || undefined,
      task: task_id && `#${task_id}`,
      bisection: breakage.bisection ? bisectionLine(breakage) : undefined,
      page: urls.web,
    })
    out.prose(breakage.cause)
    out.prose(breakage.suggested_fix)
    printEvidence(breakage.evidence, out)
    await printSuspects(breakage.suspects, call)
    if (breakage.occurrences.length > 1)
      out.section('Occurrences', breakage.occurrences, [
        'number',
        'opened_at',
        'fixed_at',
        'build_count',
        main('owner_user_id', 'owner'),
      ])
    out.section('Builds', breakage.builds, [
      'id',
      { ...main('ci_job_name', 'job'), ends: true },
      field('build_number', 'number'),
      'branch',
      'changelist',
      'created_at',
    ])
    out.section('History', breakage.history, ['at', 'kind', 'user_id', main('detail')])
  },
})

const costOf = ({ cost }: BreakageDetail) =>
  cost.builds === 0
    ? undefined
    : [`broken for ${redWords(cost)}: ${costWords(cost, cost.currency)}`, uncountedWords(cost)].filter(Boolean).join('; ')

const fixRange = ({ fixed_after_change: after, fixed_up_to_change: upTo }: BreakageDetail) =>
  after && upTo ? `${after.display_identifier} and ${upTo.display_identifier}` : undefined

const note = { help: 'Note to add to the history', value: 'text', short: 'n' } as const

const answer = (out: Output, breakage: BreakageDetail) =>
  out.answer(breakage, () => out.say(`${breakage.id} is ${breakage.state}: ${breakage.urls.web}`))

const pages = ({ project, args }: { project: string; args: { breakage: readonly string[] } }) =>
  args.breakage.map((id) => `/projects/${project}/breakages/${id}`)

const IDS = { breakage: { help: 'Ids of the breakages', many: true } } as const

const claim = command({
  name: 'claim',
  summary: 'Claim breakages for yourself or another member',
  project: true,
  args: IDS,
  web: pages,
  flags: { owner: { help: 'User id of the owner (default: you)', value: 'id' }, note },
  shows: { route: 'editBreakage' },
  examples: [`breakages claim ${NEWEST}`, 'breakages claim 12 13 --owner 7 --note "Kim is on it"'],
  async run({ client, project, args, flags, out }) {
    const body: BreakageEdit = {
      state: 'claimed',
      ...(flags.owner !== undefined && { owner_user_id: Number(flags.owner) }),
      ...(flags.note !== undefined && { note: flags.note }),
    }
    for (const id of args.breakage) answer(out, await client.editBreakage({ project_id: project, id, body }))
  },
})

const mute = command({
  name: 'mute',
  summary: 'Send no messages about breakages for a while',
  project: true,
  args: IDS,
  web: pages,
  flags: {
    for: { help: 'Duration such as 4h, 2d or 1w, or an end time (default: until it stops happening)', value: 'time' },
    note,
  },
  shows: { route: 'editBreakage' },
  examples: [`breakages mute ${NEWEST} --for 2d`, 'breakages mute 12 --note "waits for the new SDK"'],
  async run({ client, project, args, flags, out }) {
    const body: BreakageEdit = {
      state: 'muted',
      muted_until: flags.for === undefined ? null : until(flags.for),
      ...(flags.note !== undefined && { note: flags.note }),
    }
    for (const id of args.breakage) answer(out, await client.editBreakage({ project_id: project, id, body }))
  },
})

const resolve = command({
  name: 'resolve',
  summary: 'Mark breakages as fixed; a new failure reopens them',
  project: true,
  args: IDS,
  web: pages,
  flags: { note },
  shows: { route: 'editBreakage' },
  examples: [`breakages resolve ${NEWEST}`, 'breakages resolve 12 --note "backed out CL 101"'],
  async run({ client, project, args, flags, out }) {
    const body: BreakageEdit = { state: 'fixed', ...(flags.note !== undefined && { note: flags.note }) }
    for (const id of args.breakage) answer(out, await client.editBreakage({ project_id: project, id, body }))
  },
})

const reopen = command({
  name: 'reopen',
  summary: 'Reopen fixed breakages, or give up claimed ones',
  project: true,
  args: IDS,
  web: pages,
  flags: { note },
  shows: { route: 'editBreakage' },
  examples: [`breakages reopen ${NEWEST}`, 'breakages reopen 12 --note "the back-out did not help"'],
  async run({ client, project, args, flags, out }) {
    const body: BreakageEdit = { state: 'open', ...(flags.note !== undefined && { note: flags.note }) }
    for (const id of args.breakage) answer(out, await client.editBreakage({ project_id: project, id, body }))
  },
})

const task = command({
  name: 'task',
  summary: 'Create a task for a breakage, with its builds and suspects',
  project: true,
  web: ({ project, args }) => `/projects/${project}/breakages/${args.breakage}`,
  args: { breakage: { help: 'Id of the breakage' } },
  shows: { route: 'createBreakageTask' },
  examples: [`breakages task ${NEWEST}`],
  async run({ client, project, args, out }) {
    const made = await client.createBreakageTask({ project_id: project, id: args.breakage })
    out.answer(made, () => out.say(`#${made.id} ${made.title}: ${made.urls.web}`))
  },
})

const assignment = command({
  name: 'assignment',
  summary: 'Show or change who gets breakages automatically',
  project: true,
  web: ({ project }) => `/projects/${project}/settings`,
  flags: {
    on: { help: 'Assign breakages at their second failure' },
    off: { help: 'Assign no breakages' },
    exclude: { help: 'User id of somebody who gets none; replaces the others', value: 'id', many: true, read: readUser },
    owners: {
      help: 'File in the form of CODEOWNERS that names the owners of paths, or - for standard input',
      value: 'file',
    },
  },
  shows: { route: 'editProject' },
  examples: ['breakages assignment --on', 'breakages assignment --owners CODEOWNERS --exclude 3 --exclude 9'],
  async run({ client, project, flags: { on, off, exclude, owners }, out }) {
    if (on && off) throw usage('Give --on or --off, not both.')
    const before = await client.showProjectSettings({ project_id: project })
    const wanted = {
      on: on || (before.assignment.on && !off),
      excluded_user_ids: exclude ?? before.assignment.excluded_user_ids,
    }
    const body = {
      ...((on || off || exclude) && { assignment: wanted }),
      ...(owners !== undefined && { path_owners: await fileText(owners) }),
    }
    const settings = Object.keys(body).length > 0 ? await client.editProject({ project_id: project, body }) : before
    out.answer(settings, () => {
      const { on, excluded_user_ids } = settings.assignment
      out.facts({ 'automatic assignment': on ? 'on' : 'off', excluded: excluded_user_ids.map((id) => `user:${id}`).join(', ') })
      if (settings.path_owners !== '') out.say(settings.path_owners.trimEnd())
    })
  },
})

function readUser(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw new Error('It must be a user id; goldmaster members list shows them.')
  return Number(text)
}

const bisect = command({
  name: 'bisect',
  summary: 'Find the cause of a breakage with builds of the CI',
  project: true,
  web: ({ project, args }) => `/projects/${project}/breakages/${args.breakage}`,
  args: { breakage: { help: 'Id of the breakage' } },
  flags: { cancel: { help: 'Cancel the running search instead' } },
  shows: { route: 'startBisection' },
  details:
    'The project has to permit builds per day (Project settings → Bisection). To follow the search, run: goldmaster breakages show ID\nTo search on your machine instead, run: goldmaster bisect',
  examples: ['breakages bisect 12', 'breakages bisect 12 --cancel'],
  async run({ client, project, args, flags, out }) {
    const asked = { project_id: project, id: args.breakage }
    const breakage = await (flags.cancel ? client.cancelBisection(asked) : client.startBisection(asked))
    out.answer(breakage, () => out.say(`${breakage.id}: ${bisectionLine(breakage)}: ${breakage.urls.web}`))
  },
})

/** The state of its search and what it has cost. */
function bisectionLine({ bisection }: BreakageDetail): string {
  if (!bisection) return 'no bisection'
  const { status, found_change, probability, reason, change_count, remaining_count, builds, duration_seconds } = bisection
  const cost = `${builds.length} ${builds.length === 1 ? 'build' : 'builds'}, ${Math.round(duration_seconds / 60)} min`
  if (found_change) return `found ${found_change.display_identifier} (${Math.round(probability! * 100)}%, ${cost})`
  if (status === 'running') return `running, ${remaining_count} of ${change_count} changes left (${cost})`
  return `${status.replaceAll('_', ' ')} (${cost})${reason ? `. ${reason}` : ''}`
}

export const breakages: Noun = {
  name: 'breakages',
  summary: SUMMARIES.breakages,
  commands: [list, show, claim, mute, resolve, reopen, task, assignment, bisect],
}
