import { Type } from 'typebox'
import { MuteAgent } from '../bodies.ts'
import { flag, idText, instant, integer, nullable, object, ownText, text } from '../fields.ts'
import { get, patch, type TokenRoute } from './route.ts'

/** The machines that build, compared with each other. */

const Mute = object({ muted_until: nullable(instant), reason: ownText, user_id: nullable(integer), muted_at: instant })

export const Agent = object({
  name: text,
  /** Passed and failed builds of the last 30 days. */
  builds: integer,
  failures: integer,
  last_build_run_id: idText,
  last_built_at: instant,
  /** Only builds that can be compared with those of the same job and branch on other agents; null without any. */
  compared: nullable(
    object({
      builds: integer,
      failures: integer,
      /** The share of failures on other agents. */
      expected_rate: Type.Number(),
      /** How likely so many failures are if the agent does not matter. */
      probability: Type.Number(),
    }),
  ),
  /** Whether it fails so much more often than others that the machine is the likely cause. */
  suspicious: flag,
  /** Medians of what builds report; null if they don't. */
  queue_seconds: nullable(Type.Number()),
  sync_seconds: nullable(Type.Number()),
  /** From the newest build that reports it. */
  disk_free_bytes: nullable(Type.Number()),
  muted: nullable(Mute),
})

export const agentRoutes = {
  listAgents: {
    ...get,
    path: '/v1/projects/:project_id/agents',
    scope: 'read:builds',
    summary: 'List the agents of the last 30 days with their failures compared with other agents, suspicious ones first',
    shows: ['build'],
    /** Null: all builds of the 30 days are compared. */
    reply: object({ compared_since: nullable(instant), agents: Type.Array(Agent) }),
    tool: false,
  },
  muteAgent: {
    ...patch,
    path: '/v1/projects/:project_id/agents',
    scope: 'write:breakages',
    summary: 'Mute an agent: its failures open no breakages and notify nobody; or unmute it',
    body: MuteAgent,
    reply: object({ agent: text, muted: nullable(Mute) }),
    writes: true,
    tool: false,
  },
} as const satisfies Record<string, TokenRoute>
