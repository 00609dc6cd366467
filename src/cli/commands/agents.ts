import type { Noun } from '../../terminal/command.ts'
import { extra, main } from '../../terminal/table.ts'
import { command } from '../program/command.ts'
import { until } from '../program/end-time.ts'
import { SUMMARIES } from '../summaries.ts'

const web = ({ project }: { project: string }) => `/projects/${project}/agents`
const percent = (share: number) => `${Math.round(100 * share)} %`

const rateOf = ({ builds, failures }: { builds: number; failures: number }) => percent(failures / builds)

const list = command({
  name: 'list',
  summary: 'List agents and how often they fail compared with others',
  project: true,
  pages: true,
  web,
  shows: { route: 'listAgents', rows: 'agents' },
  details: `Counts builds of the last 30 days. Rate and "others" compare an agent with the other agents on the same jobs and branches;
failures of a branch that was already broken don't count. An agent is suspicious if chance hardly explains its failures.`,
  examples: ['agents list', "agents list --pick '[].name'"],
  async run({ client, project, out }) {
    const answer = await client.listAgents({ project_id: project })
    out.answer(answer, () => {
      out.list(
        'agents',
        answer.agents,
        [
          { ...main('name', 'agent'), ends: true },
          { title: 'suspicious', cell: ({ suspicious }) => (suspicious ? 'yes' : '') },
          'builds',
          'failures',
          { title: 'rate', cell: ({ compared }) => compared && rateOf(compared) },
          { title: 'others', cell: ({ compared }) => compared && percent(compared.expected_rate) },
          { title: 'muted', cell: ({ muted }) => muted?.reason },
          extra('queue_seconds', 'queue s'),
          extra('sync_seconds', 'sync s'),
          extra('last_built_at', 'last build'),
        ],
        'Report the machine of a build with goldmaster run --agent.',
      )
      if (answer.compared_since !== null) out.say(`Builds before ${answer.compared_since} are not checked.`)
    })
  },
})

const ARGS = { agent: { help: 'Name of the agent' } } as const

const mute = command({
  name: 'mute',
  summary: 'Send no messages about failures on an agent',
  project: true,
  web,
  args: ARGS,
  flags: {
    reason: { help: 'Reason; shown with your name', value: 'text', required: true },
    for: { help: 'Duration such as 4h, 2d or 1w, or an end time (default: until unmuted)', value: 'time' },
  },
  shows: { route: 'muteAgent' },
  details: 'Failures on a muted agent open no breakages. Its builds stay in all lists.',
  examples: ['agents mute BUILD-07 --for 2d --reason "disk is being replaced"'],
  async run({ client, project, args, flags, out }) {
    const muted_until = flags.for === undefined ? null : until(flags.for)
    const body = { agent: args.agent, reason: flags.reason ?? '', muted_until }
    const done = await client.muteAgent({ project_id: project, body })
    out.answer(done, () => out.say(`${done.agent} is muted${muted_until === null ? '' : ` until ${muted_until}`}`))
  },
})

const unmute = command({
  name: 'unmute',
  summary: 'Send messages about failures on an agent again',
  project: true,
  web,
  args: ARGS,
  shows: { route: 'muteAgent' },
  examples: ['agents unmute BUILD-07'],
  async run({ client, project, args, out }) {
    const done = await client.muteAgent({ project_id: project, body: { agent: args.agent, muted: false } })
    out.answer(done, () => out.say(`${done.agent} is no longer muted`))
  },
})

export const agents: Noun = { name: 'agents', summary: SUMMARIES.agents, usual: 'list', commands: [list, mute, unmute] }
