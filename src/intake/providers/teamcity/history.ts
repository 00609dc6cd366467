import { type Asked, type History, jobAfter, jobOf } from '../../history/history.ts'
import { at, type Json, objects, text } from '../../reading.ts'
import { factsOf } from '../../reports/readable.ts'
import { jobName } from './build.ts'
import { readBuiltin } from './builtin.ts'

const PAGE = 100
const BUILDS = '/app/rest/builds?'
const FIELDS =
  `nextHref,build(id,buildTypeId,number,state,status,failedToStart,branchName,personal,webUrl,queuedDate,startDate,finishDate,
  canceledInfo(timestamp),buildType(name,projectName),revisions(revision(version,vcsBranchName)),lastChanges(change(version)),agent(name),
  properties(property(name,value)))`.replace(/\s+/g, '')

/** The builds of every configuration that reported, newest first. */
export const history: History = {
  headers: (config) => ({ accept: 'application/json', authorization: `Bearer ${text(config.api_token) ?? ''}` }),
  about: {
    path: '/app/rest/buildTypes?fields=buildType(id,name,projectName)',
    /** Builds are asked for by the id of their configuration. */
    read: (body, jobs) => {
      const types = objects(at(body, 'buildType')).map(({ id, name, projectName }) => [jobName(projectName, name), text(id)])
      return { types: Object.fromEntries(types.filter(([job]) => job !== undefined && jobs.includes(job))) }
    },
  },
  parts: [
    {
      name: 'builds',
      needs: 'Project viewer',
      ofJobs: true,
      page: (asked) => ({ path: text(asked.cursor.path) ?? firstPage(asked) }),
      read({ body }, asked) {
        const job = jobOf(asked)
        const path = nextPage(at(body, 'nextHref'))
        const next = path === undefined ? jobAfter(job, asked.jobs) : { job, path }
        return { facts: factsOf(objects(at(body, 'build')).filter(isOver), buildFact), ...(next && { next }) }
      },
    },
  ],
}

/** Without the default filter, which leaves out branches and builds that were canceled or failed to start. */
function firstPage(asked: Asked): string {
  const job = jobOf(asked)
  const type = text(at(asked.about.types, job)) ?? job
  const since = asked.since.replace(/[-:]|\.\d+/g, '').replace('Z', '+0000')
  const locator = `defaultFilter:false,state:finished,buildType:(id:${type.replace(/[^\w.-]/g, '')}),sinceDate:${since},count:${PAGE}`
  return `${BUILDS}${new URLSearchParams({ locator, fields: FIELDS })}`
}

/** A page may be empty and still have a next one. The server may be below a path. */
function nextPage(told: unknown): string | undefined {
  const href = text(told) ?? ''
  const start = href.indexOf(BUILDS)
  return start === -1 ? undefined : href.slice(start)
}

const isOver = ({ state }: Json) => state === 'finished'

/** A build is read as if its webhook had been sent. */
const buildFact = (build: Json) => readBuiltin({ eventType: 'BUILD_FINISHED', payload: build })
