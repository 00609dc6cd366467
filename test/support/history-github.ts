import type { IncomingMessage, ServerResponse } from 'node:http'
import { openLocalServer } from './local-server.ts'

export interface Commit {
  sha: string
  message: string
  date: string
  files: { filename: string; status: string }[]
}

export interface Run {
  id: number
  name: string
  run_number: number
  head_sha: string
  conclusion: string
  created_at: string
  updated_at: string
}

/**
 * GitHub's REST API of one repository, as documented: only with the token, at most 100 on a page, pages by `Link`, 1,000 runs of a search,
 * 5,000 requests an hour, 403 when they are used up.
 */
export async function openGitHubHistory({ commits, runs }: { commits: Commit[]; runs: Run[] }) {
  const calls: string[] = []
  const state = {
    remaining: 5000,
    limit: 5000,
    refuse: undefined as undefined | ((path: string, reply: ServerResponse) => boolean),
  }
  const repository = { id: 77, full_name: 'owl/star', html_url: 'https://github.com/owl/star', default_branch: 'main' }
  const answer = (request: IncomingMessage, reply: ServerResponse) => {
    const url = new URL(request.url!, 'http://github')
    const path = url.pathname.replace(/^\/repos\/owl\/star/, '')
    const asked = (name: string) => url.searchParams.get(name)
    calls.push(`${path}${url.search}`)
    const send = (status: number, body: unknown, headers: Record<string, string> = {}) =>
      reply
        .writeHead(status, {
          'content-type': 'application/json; charset=utf-8',
          'x-ratelimit-limit': String(state.limit),
          'x-ratelimit-remaining': String(state.remaining),
          'x-ratelimit-reset': String(Math.floor(Date.now() / 1000) + 600),
          ...headers,
        })
        .end(JSON.stringify(body))
    if (request.headers.authorization !== 'Bearer secret') return send(401, { message: 'Bad credentials' })
    if (state.refuse?.(path, reply)) return
    if (state.remaining === 0) return send(403, { message: 'API rate limit exceeded for user ID 1.' })
    state.remaining--
    const size = Math.min(100, Number(asked('per_page') ?? 30))
    const page = Number(asked('page') ?? 1)
    const paged = <T>(all: T[]) => {
      const last = Math.ceil(all.length / size)
      const at = (number: number) => `<https://api.github.com/repositories/77${path}?per_page=${size}&page=${number}>`
      const link = page < last ? { link: `${at(page + 1)}; rel="next", ${at(last)}; rel="last"` } : undefined
      return { items: all.slice((page - 1) * size, page * size), link }
    }
    if (path === '') return send(200, repository)
    if (path === '/commits') {
      const [since, until] = [asked('since')!, asked('until')!]
      const { items, link } = paged(commits.toReversed().filter(({ date }) => date >= since && date <= until))
      const shown = items.map((commit) => ({
        sha: commit.sha,
        commit: {
          message: commit.message,
          author: { name: 'Ann', email: 'ann@example.com', date: commit.date },
          committer: { date: commit.date },
        },
        author: { login: 'ann', id: 5 },
        parents: [{ sha: commits[commits.indexOf(commit) - 1]?.sha ?? 'b'.repeat(40) }],
      }))
      return send(200, shown, link)
    }
    const commit = commits.find(({ sha }) => path === `/commits/${sha}`)
    if (commit) return send(200, { sha: commit.sha, files: commit.files })
    if (path === '/actions/runs') {
      const created = asked('created')!
      const wanted = runs
        .toReversed()
        .filter((run) => (created.startsWith('>=') ? run.created_at >= created.slice(2) : run.created_at.startsWith(created)))
      const { items, link } = paged(wanted.slice(0, 1000))
      return send(200, { total_count: wanted.length, workflow_runs: items.map((run) => runOf(run, repository)) }, link)
    }
    if (/^\/actions\/runs\/\d+\/jobs$/.test(path)) return send(200, { jobs: [{ id: 9, conclusion: 'failure' }] })
    if (path === '/actions/jobs/9/logs')
      return reply.writeHead(302, { location: `http://${request.headers.host}/repos/owl/star/log` }).end()
    if (path === '/log') return reply.end("src/old.c:54:3: error: 'old' undeclared\n")
    return send(404, { message: 'Not Found' })
  }
  const { url, close } = await openLocalServer((request, reply) => {
    request.resume()
    // The storage of logs gets no token.
    if (request.url === '/repos/owl/star/log') return void reply.end("src/old.c:54:3: error: 'old' undeclared\n")
    answer(request, reply)
  })
  return { server: `${url}/repos/owl/star`, calls, state, commits, runs, repository, close }
}

export const runOf = (run: Run, repository: object) => ({
  ...run,
  status: 'completed',
  event: 'push',
  head_branch: 'main',
  run_started_at: run.created_at,
  html_url: `https://github.com/owl/star/actions/runs/${run.id}`,
  repository,
  head_repository: repository,
  pull_requests: [],
})
