import { branchOf } from '../../build-report.ts'
import { type History, jobAfter, jobOf } from '../../history/history.ts'
import { at, type Json, link, number, objects, text, word } from '../../reading.ts'
import { BUILD_TREE, isRunning, readBuild } from './build.ts'
import { jobPathOf } from './server.ts'

/** Jenkins loads every build from disk. */
const PAGE = 100
const TREE = `url,${BUILD_TREE.replace('lastBuiltRevision[SHA1]', 'lastBuiltRevision[SHA1,branch[name]]')}`

/** The builds of every job that reported, newest first. */
export const history: History = {
  headers(config): Record<string, string> {
    const [user, secret] = [text(config.user), text(config.api_token) ?? text(config.password)]
    if (user === undefined || secret === undefined) return {}
    return { authorization: `Basic ${Buffer.from(`${user}:${secret}`).toString('base64')}` }
  },
  parts: [
    {
      name: 'builds',
      needs: 'Job/Read',
      ofJobs: true,
      page(asked) {
        const from = number(asked.cursor.from) ?? 0
        const tree = `allBuilds[${TREE}]{${from},${from + PAGE}}`
        return { path: `/${jobPathOf(jobOf(asked))}api/json?tree=${encodeURIComponent(tree)}` }
      },
      read({ body }, asked) {
        const job = jobOf(asked)
        const builds = objects(at(body, 'allBuilds'))
        const since = Date.parse(asked.since)
        const recent = builds.filter(({ timestamp }) => (number(timestamp) ?? 0) >= since)
        const isMore = builds.length === PAGE && recent.length === PAGE
        const next = isMore ? { job, from: (number(asked.cursor.from) ?? 0) + PAGE } : jobAfter(job, asked.jobs)
        return { facts: recent.flatMap((build) => buildFact(build, job)), ...(next && { next }) }
      },
    },
  ],
}

function buildFact(build: Json, job: string) {
  const run = word(build.number)
  if (run === undefined || isRunning(build)) return []
  const page = link(build.url)
  const branch = objects(build.actions)
    .map((action) => branchOf(at(action, 'lastBuiltRevision', 'branch', 0, 'name')))
    .find((found) => found !== undefined)
  const fact = readBuild({ job, number: run }, build, (file) => (page === undefined ? '' : `${page}artifact/${file}`))
  return [{ ...fact, ...(branch !== undefined && { branch }), ...(page !== undefined && { url: page }) }]
}
