import type { BreakageEdit } from '../../contract/bodies.ts'
import type { BreakageDetail } from '../../contract/health-shapes.ts'
import type { Noun } from '../../terminal/command.ts'
import { usage } from '../../terminal/failures.ts'
import type { Output } from '../../terminal/output.ts'
import { extra, field, main } from '../../terminal/table.ts'
import { tellEvidence } from '../output/tell-evidence.ts'
import { tellSuspects } from '../output/tell-suspects.ts'
import { command } from '../program/command.ts'
import { listCommand } from '../program/list-command.ts'
import { showCommand } from '../program/show-command.ts'
import { SUMMARIES } from '../summaries.ts'

/** A log line starts with its location; the folders of a build machine are its least useful part. */
const withoutFolders = (text: string) => text.replace(/(?:[A-Za-z]:)?[\\/](?:[^\\/\s:()'"]+[\\/])+/g, '')

const list = listCommand({
  route: 'listBreakages',
  rows: 'breakages',
  noun: 'breakages',
  summary: 'list what is or was broken, one line per cause, newest first',
  page: 'breakages',
  columns: [
    'id',
    'state',
    {
      title: 'cause',
      cell: ({ evidence, cause }, forPeople) => (forPeople ? withoutFolders : String)(evidence[0]?.text.trim() ?? cause),
      main: true,
    },
    'jobs',
    { title: 'owner', cell: ({ owner_user_id }) => owner_user_id && `user:${owner_user_id}`, extra: true },
    extra('branch'),
    extra('build_count', 'builds'),
    'opened_at',
  ],
  examples: [
    'breakages list --state open,claimed',
    'breakages list --branch //game/main --category link_error',
    "breakages list --state open --pick '[0].suspects[0].change_id'",
  ],
})

const show = showCommand({
  route: 'showBreakage',
  noun: 'breakage',
  summary: 'show a breakage: why, since when, suspects, builds and what was done about it',
  page: (breakage) => `breakages/${breakage.id}`,
  examples: ['breakages show 12', 'breakages show 12 --web', "breakages show 12 --pick 'builds[].id'"],
  async tell(breakage, call) {
    const { out } = call
    const { id, state, flaky, category, confidence, branch, jobs, build_count, reopened_count, task_id, urls } = breakage
    out.title(`${jobs.join(', ')} (${id})`)
    const owner = breakage.owner_user_id && `user:${breakage.owner_user_id}`
    out.facts({
      state,
      flaky: flaky || undefined,
      category,
      confidence,
      branch,
      builds: build_count,
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
      page: urls.web,
    })
    out.prose(breakage.cause)
    out.prose(breakage.suggested_fix)
    tellEvidence(breakage.evidence, out)
    await tellSuspects(breakage.suspects, call)
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

const fixRange = ({ fixed_after_change: after, fixed_up_to_change: upTo }: BreakageDetail) =>
  after && upTo ? `${after.display_identifier} and ${upTo.display_identifier}` : undefined

const note = { help: 'say something about it in its history', value: 'text', short: 'n' } as const

const answer = (out: Output, breakage: BreakageDetail) =>
  out.answer(breakage, () => out.say(`${breakage.id} is ${breakage.state}: ${breakage.urls.web}`))

const pages = ({ project, args }: { project: string; args: { breakage: readonly string[] } }) =>
  args.breakage.map((id) => `/projects/${project}/breakages/${id}`)

const IDS = { breakage: { help: 'their ids', many: true } } as const

const claim = command({
  name: 'claim',
  summary: 'claim breakages for yourself or somebody else',
  project: true,
  args: IDS,
  web: pages,
  flags: { owner: { help: 'user id of the owner (default: you)', value: 'id' }, note },
  shows: { route: 'editBreakage' },
  examples: ['breakages claim 12', 'breakages claim 12 13 --owner 7 --note "Kim is on it"'],
  async run({ client, project, args, flags, out }) {
    const body: BreakageEdit = {
      state: 'claimed',
      ...(flags.owner !== undefined && { owner_user_id: Number(flags.owner) }),
      ...(flags.note !== undefined && { note: flags.note }),
    }
    for (const id of args.breakage) answer(out, await client.editBreakage({ project_id: project, id, body }))
  },
})

const SPAN = /^(\d{1,4})([hdw])$/
const HOURS: Record<string, number> = { h: 1, d: 24, w: 168 }

function until(text: string): string {
  const [, count, unit] = SPAN.exec(text) ?? []
  if (unit !== undefined) return new Date(Date.now() + Number(count) * HOURS[unit]! * 3_600_000).toISOString()
  const at = Date.parse(text)
  if (Number.isNaN(at)) throw usage('--for takes a span such as 4h, 2d or 1w, or a time such as 2026-09-01T09:00:00Z')
  return new Date(at).toISOString()
}

const mute = command({
  name: 'mute',
  summary: 'tell nobody about breakages for a while, or until they stop happening',
  project: true,
  args: IDS,
  web: pages,
  flags: {
    for: { help: 'how long, such as 4h, 2d or 1w, or until when (default: until it stops happening)', value: 'time' },
    note,
  },
  shows: { route: 'editBreakage' },
  examples: ['breakages mute 12 --for 2d', 'breakages mute 12 --note "waits for the new SDK"'],
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
  summary: 'say that breakages are fixed; a later failure of the same cause opens them again',
  project: true,
  args: IDS,
  web: pages,
  flags: { note },
  shows: { route: 'editBreakage' },
  examples: ['breakages resolve 12', 'breakages resolve 12 --note "backed out CL 101"'],
  async run({ client, project, args, flags, out }) {
    const body: BreakageEdit = { state: 'fixed', ...(flags.note !== undefined && { note: flags.note }) }
    for (const id of args.breakage) answer(out, await client.editBreakage({ project_id: project, id, body }))
  },
})

const reopen = command({
  name: 'reopen',
  summary: 'reopen fixed breakages, or release claimed ones',
  project: true,
  args: IDS,
  web: pages,
  flags: { note },
  shows: { route: 'editBreakage' },
  examples: ['breakages reopen 12 --note "the back-out did not help"'],
  async run({ client, project, args, flags, out }) {
    const body: BreakageEdit = { state: 'open', ...(flags.note !== undefined && { note: flags.note }) }
    for (const id of args.breakage) answer(out, await client.editBreakage({ project_id: project, id, body }))
  },
})

const task = command({
  name: 'task',
  summary: 'make a task of a breakage, linked to its builds and suspects',
  project: true,
  web: ({ project, args }) => `/projects/${project}/breakages/${args.breakage}`,
  args: { breakage: { help: 'its id' } },
  shows: { route: 'createBreakageTask' },
  examples: ['breakages task 12'],
  async run({ client, project, args, out }) {
    const made = await client.createBreakageTask({ project_id: project, id: args.breakage })
    out.answer(made, () => out.say(`#${made.id} ${made.title}: ${made.urls.web}`))
  },
})

export const breakages: Noun = {
  name: 'breakages',
  summary: SUMMARIES.breakages,
  commands: [list, show, claim, mute, resolve, reopen, task],
}
