import { openGitHub } from '../../test/support/servers/github-server.ts'
import { openGitLab } from '../../test/support/servers/gitlab-server.ts'
import { openSwarm } from '../../test/support/servers/swarm-server.ts'

/** Pull requests, reviews or issues: each has one comment. */
export const SUBJECTS = 40
const JOBS = ['Cook', 'Tests', 'Win64', 'Server']

export interface Answer {
  records?: { type: string; id: number }[]
}

/** Of a project with the tool and a CI. */
export interface Ways {
  /** A webhook of the tool. */
  tell(body: object, headers?: Record<string, string>): Promise<Answer>
  /** A build report. */
  ci(body: object): Promise<Answer>
  // biome-ignore lint/suspicious/noExplicitAny: whatever the route replies
  api(method: 'GET' | 'POST' | 'PATCH', path: string, body?: object): Promise<any>
}

/** Sends a webhook; every call is another delivery. */
export type Hook = (ways: Ways) => Promise<Answer>

/** A server that results are written to. */
export interface WrittenTo {
  provider: 'github' | 'gitlab' | 'perforce' | 'jira' | 'linear'
  subjects: string
  reports: string
  config: object
  /** Tells what exists. */
  begin(ways: Ways): Promise<unknown>
  /** Reports something about a subject; what is written next has this mark. */
  report(ways: Ways, at: number): Promise<string>
  /** Somebody edits the same subject. */
  edit(ways: Ways, at: number): Promise<Answer>
  /** The marks of everything that was written since the last call. */
  marks(): string[]
  /** The webhooks about it; they are sent once. */
  hooks(): Hook[]
  writes: unknown[]
  comments: unknown[]
  close(): unknown
}

const REPOSITORY = { id: 9, full_name: 'owl/star', html_url: 'https://github.com/owl/star' }
const shaOf = (pull: number) => pull.toString(16).padStart(40, 'f')
export const subjectAt = (at: number) => 1 + (at % SUBJECTS)
export const all = Array.from({ length: SUBJECTS }, (_, at) => at + 1)
export const now = () => new Date().toISOString()

/** A build of a subject; every tenth fails. */
const build = (at: number, more: object) => ({
  job_name: JOBS[Math.floor(at / SUBJECTS) % JOBS.length]!,
  build_number: String(at + 1),
  status: at % 10 === 3 ? 'failed' : 'success',
  ...more,
  ...(at % 10 === 3 && { log: logOf(subjectAt(at)) }),
})
export const logOf = (subject: number) => `src/part${subject}.c:54:3: error: 'part${subject}' undeclared\n`

const buildOfPull = async ({ ci }: Ways, at: number) => {
  const pull = subjectAt(at)
  const more = { commit: shaOf(pull), branch: `feature${pull}`, pull_request: pull, target_branch: 'main' }
  return String((await ci(build(at, more))).records![0]!.id)
}

/** What was added to a list since the last call. */
function reader<T>(list: readonly T[]) {
  let seen = 0
  return () => {
    const added = list.slice(seen)
    seen = list.length
    return added
  }
}

/** The texts of comments that changed since the last call. */
export function changed<T extends { id: string | number; body: string }>(comments: readonly T[]) {
  const known = new Map<string | number, string>()
  return () =>
    comments.filter(({ id, body }) => {
      const isNew = known.get(id) !== body
      known.set(id, body)
      return isNew
    })
}

const lastPart = ({ target_url }: { target_url: string }) => target_url.split('/').at(-1)!

export async function github(): Promise<WrittenTo> {
  const server = await openGitHub()
  const statuses = reader(server.statuses)
  const event = (name: string) => ({ 'x-github-event': name, 'x-github-delivery': `${Math.random()}` })
  return {
    provider: 'github',
    subjects: 'pull requests',
    reports: 'builds',
    config: { server: `${server.url}/repos/owl/star`, api_token: 'secret' },
    begin({ tell }) {
      for (const pull of all) {
        server.commits.add(shaOf(pull))
        server.pulls.add(String(pull))
      }
      const body = {
        ref: 'refs/heads/feature',
        before: '0'.repeat(40),
        after: shaOf(SUBJECTS),
        created: true,
        repository: REPOSITORY,
        commits: all.map((pull) => ({
          id: shaOf(pull),
          message: `Work ${pull}`,
          timestamp: now(),
          author: { name: 'Kim', email: 'kim@bench.example' },
          added: [],
          modified: [`src/part${pull}.c`],
          removed: [],
        })),
      }
      return tell(body, event('push'))
    },
    report: buildOfPull,
    edit({ tell }, at) {
      const pull = subjectAt(at)
      const body = {
        action: 'edited',
        repository: REPOSITORY,
        sender: { login: 'kim', id: 5 },
        pull_request: {
          number: pull,
          title: `Feature ${at}`,
          state: 'open',
          html_url: `https://github.com/owl/star/pull/${pull}`,
          updated_at: now(),
          head: { ref: `feature${pull}`, sha: shaOf(pull) },
          base: { ref: 'main' },
        },
      }
      return tell(body, event('pull_request'))
    },
    marks: () => statuses().map(lastPart),
    hooks: () =>
      server.hooks.splice(0).map(
        ([name, body]) =>
          ({ tell }: Ways) =>
            tell(body, event(name)),
      ),
    writes: server.writes,
    comments: server.comments,
    close: () => server.close(),
  }
}

export async function gitlab(): Promise<WrittenTo> {
  const server = await openGitLab()
  const statuses = reader(server.statuses)
  const project = { id: 9, path_with_namespace: 'owl/star', web_url: `${server.url}/owl/star` }
  const key = () => ({ 'idempotency-key': `${Math.random()}` })
  return {
    provider: 'gitlab',
    subjects: 'merge requests',
    reports: 'builds',
    config: { server: server.url, api_token: 'secret' },
    begin({ tell }) {
      const { commits, pulls } = server.projects.get('owl/star')!
      for (const pull of all) {
        commits.add(shaOf(pull))
        pulls.add(String(pull))
      }
      const body = {
        object_kind: 'push',
        ref: 'refs/heads/feature',
        before: '0'.repeat(40),
        after: shaOf(SUBJECTS),
        project,
        commits: all.map((pull) => ({
          id: shaOf(pull),
          message: `Work ${pull}`,
          author: { name: 'Kim' },
          modified: [`src/part${pull}.c`],
        })),
      }
      return tell(body, key())
    },
    report: buildOfPull,
    edit({ tell }, at) {
      const pull = subjectAt(at)
      const body = {
        object_kind: 'merge_request',
        user: { id: 5, username: 'kim' },
        project,
        object_attributes: {
          iid: pull,
          title: `Feature ${at}`,
          state: 'opened',
          action: 'update',
          source_branch: `feature${pull}`,
          target_branch: 'main',
          url: `${server.url}/owl/star/-/merge_requests/${pull}`,
          updated_at: now(),
          last_commit: { id: shaOf(pull) },
        },
      }
      return tell(body, key())
    },
    marks: () => statuses().map(lastPart),
    hooks: () =>
      server.hooks.splice(0).map(
        (body) =>
          ({ tell }: Ways) =>
            tell(body, key()),
      ),
    writes: server.writes,
    comments: server.notes,
    close: () => server.close(),
  }
}

/** P4 Code Review sends no webhooks that are read; somebody shelves again, with the same content. */
export async function perforce(): Promise<WrittenTo> {
  const server = await openSwarm()
  const written = changed(server.comments)
  const shelfOf = (at: number) => 1000 + subjectAt(at)
  const time = Math.floor(Date.now() / 1000) - 600
  server.reviews = all.map((id) => ({ id, changes: [1000 + id], versions: [{ change: 1000 + id, time }] }))
  const shelve = ({ tell }: Ways, at: number) =>
    tell({
      change: shelfOf(at),
      status: 'shelved',
      user: 'kim',
      description: `Work ${at}`,
      files: [`//game/main/src/part${subjectAt(at)}.c`],
    })
  return {
    provider: 'perforce',
    subjects: 'reviews',
    reports: 'builds',
    config: { user: 'gold', password: 'ticket', swarm: server.url },
    async begin(ways) {
      for (const subject of all) await shelve(ways, subject - 1)
    },
    report: async ({ ci }, at) =>
      String((await ci(build(at, { shelf: String(shelfOf(at)), branch: '//game/main' }))).records![0]!.id),
    edit: shelve,
    marks: () => written().flatMap(({ body }) => [...body.matchAll(/\/builds\/(\d+)/g)].map(([, id]) => id!)),
    hooks: () => [],
    writes: server.writes,
    comments: server.comments,
    close: () => server.close(),
  }
}
