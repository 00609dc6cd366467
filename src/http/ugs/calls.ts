import type { FastifyRequest } from 'fastify'
import { badRequest } from '../../contract/errors.ts'
import { flag, list, optional, required, text } from '../../contract/field-readers.ts'
import { IDENTIFIER_MAX, INTEGER_MAX, NAME_MAX } from '../../contract/limits.ts'
import { readId } from '../../contract/params.ts'
import { UGS_EVENT_TYPES, UGS_VOTES } from '../../contract/sets.ts'
import { hashOf } from '../../domain/privacy/secrets.ts'
import * as badges from '../../domain/ugs/badges.ts'
import * as issues from '../../domain/ugs/issues.ts'
import * as metadata from '../../domain/ugs/metadata.ts'
import type { UgsAccess } from '../../domain/ugs/tokens.ts'
import * as userMetadata from '../../domain/ugs/user-metadata.ts'
import * as v1 from '../../domain/ugs/v1.ts'
import type { Service } from '../service.ts'
import { badge, bodyOf, change, folder, folderIn, member, number, queryOf, tolerant, user } from './fields.ts'

interface Call {
  service: Service
  access: UgsAccess
  request: FastifyRequest
}

interface UgsCall {
  /** Refused if the account or the project is read-only. */
  writes?: true
  run(call: Call): Promise<unknown>
}

const path = text(IDENTIFIER_MAX)
const sequence = number(0, Number.MAX_SAFE_INTEGER)
const comment = text(4_000)
const BADGES_MAX = 100

const POLL = {
  stream: required(path),
  project: optional(path),
  minchange: optional(number(0, INTEGER_MAX)),
  maxchange: optional(number(0, INTEGER_MAX)),
  sequence: optional(sequence),
}
const BUILD = {
  Project: required(folder),
  ChangeNumber: required(change),
  BuildType: badge.name,
  Result: badge.state,
  Url: badge.url,
}
const BADGE = { Name: badge.name, State: badge.state, Url: badge.url }
const METADATA = {
  Stream: required(path),
  Project: optional(path),
  Change: required(change),
  UserName: optional(user),
  Synced: optional(flag),
  Vote: optional(member(UGS_VOTES)),
  Starred: optional(flag),
  Investigating: optional(flag),
  Comment: optional(comment),
  Badges: optional(list(tolerant(BADGE), 0, BADGES_MAX)),
}
const FOLLOW = {
  project: required(folder),
  lastbuildid: optional(sequence),
  lasteventid: optional(sequence),
  lastcommentid: optional(sequence),
}
const ISSUES_MAX = 100
const ISSUES = {
  user: optional(text(NAME_MAX)),
  includeresolved: optional(member(['false', 'true'])),
  maxresults: optional(number(1, ISSUES_MAX)),
}
const ISSUE = {
  Owner: optional(user),
  NominatedBy: optional(user),
  FixChange: optional(number(-1, INTEGER_MAX)),
  Resolved: optional(flag),
}
const EVENT = {
  Project: required(folder),
  Change: required(change),
  UserName: required(user),
  Type: required(member(UGS_EVENT_TYPES)),
}
const COMMENT = { Project: required(folder), ChangeNumber: required(change), UserName: required(user), Text: required(comment) }

const known = (answer: () => unknown): UgsCall => ({ run: async () => answer() })
/** Not used here, but clients log an error for every failed call. */
const ignored = known(() => ({}))
const idOf = ({ params }: FastifyRequest) => readId((params as { id: string }).id)

/** A build badge from a CI. */
const postBuild: UgsCall = {
  writes: true,
  async run({ service, access, request }) {
    const { Project, ChangeNumber, BuildType, Result, Url = '' } = bodyOf(request, BUILD)
    const at = { ...access, path: Project, change: ChangeNumber }
    await badges.post(service.intake, at, { name: BuildType, state: Result, url: Url })
  },
}

/** Every call by method and path, with the paths and spelling of stock clients. */
export const CALLS: Record<string, UgsCall> = {
  // The version selects the calls below; ids are for version 1.
  'GET /latest': known(() => ({ Version: 2, LastEventId: 0, LastCommentId: 0, LastBuildId: 0 })),
  'GET /metadata': {
    run({ service: { db, site }, access, request }) {
      const { stream, project = '', minchange, maxchange, sequence } = queryOf(request, POLL)
      const place = { path: folderIn('stream', stream, project), isRoot: project === '' }
      return metadata.list(db, site, { ...access, ...place, min: minchange, max: maxchange, sequence })
    },
  },
  'POST /metadata': {
    writes: true,
    async run({ service, access, request }) {
      const body = bodyOf(request, METADATA)
      const { UserName: user, Badges: posted = [] } = body
      if (user === undefined && posted.length === 0) throw badRequest('UserName is required.')
      const at = { ...access, path: folderIn('Stream', body.Stream, body.Project), change: body.Change }
      await service.intake.transaction(async (db) => {
        for (const { Name, State, Url = '' } of posted) await badges.post(db, at, { name: Name, state: State, url: Url })
        if (user === undefined) return
        await userMetadata.update(db, at, {
          user,
          synced: body.Synced,
          vote: body.Vote,
          starred: body.Starred,
          investigating: body.Investigating,
          comment: body.Comment,
        })
      })
      if (user !== undefined && body.Investigating !== undefined)
        await issues.investigate(service.intake, service.site, at, user, body.Investigating)
    },
  },
  'POST /build': postBuild,
  'POST /Build': postBuild,
  'GET /build': { run: ({ service: { db, site }, ...call }) => v1.builds(db, site, followed(call, 'lastbuildid')) },
  'GET /event': { run: ({ service: { db }, ...call }) => v1.events(db, followed(call, 'lasteventid')) },
  'GET /comment': { run: ({ service: { db }, ...call }) => v1.comments(db, followed(call, 'lastcommentid')) },
  'POST /event': {
    writes: true,
    async run({ service, access, request }) {
      const { Project, Change, UserName, Type } = bodyOf(request, EVENT)
      const at = { ...access, path: Project, change: Change }
      await userMetadata.update(service.intake, at, { user: UserName, ...v1.EVENTS[Type] })
    },
  },
  'POST /comment': {
    writes: true,
    async run({ service, access, request }) {
      const { Project, ChangeNumber, UserName, Text } = bodyOf(request, COMMENT)
      const at = { ...access, path: Project, change: ChangeNumber }
      await userMetadata.update(service.intake, at, { user: UserName, comment: Text })
    },
  },
  'GET /issues': {
    run({ service: { db, site }, access, request }) {
      const { user = '', includeresolved, maxresults = ISSUES_MAX } = queryOf(request, ISSUES)
      return issues.list(db, site, access, { user, resolved: includeresolved === 'true', limit: maxresults })
    },
  },
  'GET /issues/:id': { run: ({ service: { db, site }, access, request }) => issues.find(db, site, access, idOf(request)) },
  'PUT /issues/:id': {
    writes: true,
    run({ service, access, request }) {
      const { Owner, NominatedBy, FixChange, Resolved } = bodyOf(request, ISSUE)
      return issues.update(service.intake, service.site, access, idOf(request), {
        owner: Owner,
        nominated_by: NominatedBy,
        fix_change: FixChange,
        resolved: Resolved,
      })
    },
  },
  'GET /issues/:id/builds': {
    run: ({ service: { db, site }, access, request }) => issues.builds(db, site, access, idOf(request)),
  },
  'GET /issues/:id/diagnostics': {
    run: ({ service: { db, site }, access, request }) => issues.diagnostics(db, site, access, idOf(request)),
  },
  // Clients need a stable number for a name, and do nothing else with it.
  'GET /user': {
    run: async ({ request }) => {
      const { name } = queryOf(request, { name: required(user) })
      return { Id: hashOf(name.toLowerCase()).readUInt32BE() >>> 1 }
    },
  },
  'GET /cis': ignored,
  'POST /cis': ignored,
  'POST /telemetry': ignored,
  'POST /error': ignored,
  'POST /netcore': ignored,
  // The TeamCity plugin tests its connection with it.
  'GET /rugs_metrics': ignored,
}

/** A list of version 1, after the last id that the client has seen. */
function followed({ access, request }: Omit<Call, 'service'>, last: Exclude<keyof typeof FOLLOW, 'project'>) {
  const query = queryOf(request, FOLLOW)
  return { ...access, path: query.project, last: query[last] ?? 0 }
}
