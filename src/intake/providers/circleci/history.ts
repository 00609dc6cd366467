import type { Fact } from '../../facts.ts'
import type { History, HistoryReply } from '../../history/history.ts'
import { at, type Json, object, objects, text, time, word } from '../../reading.ts'
import { factsOf } from '../../reports/readable.ts'
import { stepOf, workflowCompleted } from './workflow.ts'

const slugIn = (config: Readonly<Json>) =>
  (text(config.circleci_project) ?? '')
    .split('/')
    .filter((part) => part !== '')
    .map(encodeURIComponent)
    .join('/')

const workflowsOf = ({ id }: Json) => `/api/v2/pipeline/${word(id)}/workflow`
const jobsOf = ({ id }: Json) => `/api/v2/workflow/${word(id)}/job`

const isSince =
  (since: string) =>
  ({ id, created_at }: Json) =>
    word(id) !== undefined && (time(created_at) ?? '') >= since

/** The last run of every workflow: those that run again stay the same build. */
function workflowsIn(pipeline: Json, { details }: Pick<HistoryReply, 'details'>): Json[] {
  const listed = objects(at(details.get(workflowsOf(pipeline)), 'items')).filter(({ id }) => word(id) !== undefined)
  const began = ({ created_at }: Json) => time(created_at) ?? ''
  return listed.filter((one) => !listed.some((other) => other.name === one.name && began(other) > began(one)))
}

export const history: History = {
  headers: ({ api_token }) => ({ 'circle-token': text(api_token) ?? '' }),
  settings: ['circleci_project'],
  parts: [
    {
      name: 'builds',
      needs: 'a personal API token',
      page({ config, cursor }) {
        const token = text(cursor.token)
        return {
          path: `/api/v2/project/${slugIn(config)}/pipeline${token === undefined ? '' : `?${new URLSearchParams({ 'page-token': token })}`}`,
        }
      },
      details: (reply, { since }) =>
        objects(at(reply.body, 'items'))
          .filter(isSince(since))
          .flatMap((pipeline) => [
            { path: workflowsOf(pipeline) },
            ...workflowsIn(pipeline, reply).map((workflow) => ({ path: jobsOf(workflow) })),
          ]),
      read(reply, { since }) {
        const listed = objects(at(reply.body, 'items'))
        const wanted = listed.filter(isSince(since))
        const token = text(at(reply.body, 'next_page_token'))
        // Newest first: an older one is the last.
        const isMore = token !== undefined && wanted.length === listed.length
        return { facts: factsOf(wanted, (pipeline) => pipelineFacts(pipeline, reply)), ...(isMore && { next: { token } }) }
      },
    },
  ],
}

/** The workflows of a pipeline are read as if their webhooks had been sent. */
const pipelineFacts = (pipeline: Json, reply: HistoryReply): Fact[] =>
  workflowsIn(pipeline, reply).flatMap((workflow) => {
    // Approvals are jobs too, and no webhook reports them.
    const jobs = objects(at(reply.details.get(jobsOf(workflow)), 'items')).filter(({ type }) => type === 'build')
    const steps = jobs
      .toSorted((one, other) => ((time(one.stopped_at) ?? '') < (time(other.stopped_at) ?? '') ? -1 : 1))
      .flatMap(stepOf)
    return workflowCompleted({
      workflow: { ...workflow, url: pageOf(pipeline, workflow) },
      pipeline,
      project: { slug: pipeline.project_slug, name: at(pipeline, 'trigger_parameters', 'circleci', 'project_name') },
      organization: object(at(pipeline, 'trigger_parameters', 'circleci')) && {
        name: at(pipeline, 'trigger_parameters', 'circleci', 'org_name'),
      },
    }).map((fact) => (fact.kind === 'build' && steps.length > 0 ? { ...fact, steps } : fact))
  })

const HOSTS: Record<string, string> = { gh: 'github', bb: 'bitbucket' }

/** Listed workflows leave it out. */
function pageOf({ project_slug, number }: Json, { id }: Json): string {
  const [host = '', ...rest] = (text(project_slug) ?? '').split('/')
  return `https://app.circleci.com/pipelines/${[HOSTS[host] ?? host, ...rest].join('/')}/${word(number)}/workflows/${word(id)}`
}
