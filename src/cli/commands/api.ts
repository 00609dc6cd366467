import { unauthorized } from '../../contract/errors.ts'
import { EXIT, usage } from '../../terminal/failures.ts'
import { fileText } from '../../terminal/given-text.ts'
import { AGENT, refusePages } from '../connection/requests.ts'
import { bodyOf, queryOf } from '../program/api-fields.ts'
import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE']

/** `/v1/ping`, `v1/ping` and `/api/v1/ping` are the same; `{project}` is replaced with the project. */
function addressOf(path: string, site: string, project: () => string): URL {
  if (/^[a-z][a-z+.-]*:/i.test(path) || path.startsWith('//')) throw usage('Pass a path such as /v1/projects, not a full URL')
  const filled = path.replaceAll('{project}', () => project())
  const inner = filled.replace(/^\/?(?:api\/)?/, '')
  return new URL(`${site}/api/${inner}`)
}

export const api = command({
  name: 'api',
  summary: SUMMARIES.api,
  project: true,
  args: {
    method: { help: `HTTP method: ${METHODS.join(', ')}` },
    path: { help: 'Path, such as /v1/projects/1/tasks; {project} is replaced by your project' },
  },
  flags: {
    field: {
      help: 'Query parameter (GET) or body field, name=value; task.title=x nests, labels[]=x appends',
      value: 'field',
      many: true,
      short: 'f',
    },
    input: { help: 'File with the body; - reads standard input', value: 'file' },
    header: { help: 'Request header, name:value (repeatable)', value: 'header', many: true, short: 'H' },
  },
  shows: 'anything',
  details:
    'In a body, numbers, true, false and null are sent as JSON values. To send text instead, add quotes: -f \'title="7"\'.',
  examples: [
    'api GET /v1/ping',
    'api GET /v1/projects/{project}/tasks -f state=to_do -f limit=5 --pick "tasks[].title"',
    'api POST /v1/projects/{project}/tasks -f task.title="Tune the jump" -f task.labels[]=feel',
    'api PATCH /v1/projects/1/tasks/12 --input change.json',
  ],
  async run(call) {
    const { flags, out, site, token, send } = call
    const method = call.args.method.toUpperCase()
    if (!METHODS.includes(method)) throw usage(`The method must be one of ${METHODS.join(', ')}`)
    const url = addressOf(call.args.path, site, () => call.project)
    const fields = flags.field ?? []
    if (flags.input !== undefined && fields.length > 0 && method !== 'GET') throw usage('Use --field or --input, not both')
    if (method === 'GET') for (const [name, value] of queryOf(fields)) url.searchParams.append(name, value)
    const body =
      flags.input !== undefined ? await fileText(flags.input) : method !== 'GET' && fields.length > 0 ? bodyOf(fields) : undefined
    const headers = { authorization: `Bearer ${token}`, 'user-agent': AGENT, ...headersOf(flags.header ?? []) }
    const typed: Record<string, string> = body === undefined ? {} : { 'content-type': 'application/json' }
    const answer = await send(url, { method, headers: { ...typed, ...headers }, ...(body === undefined ? {} : { body }) })
    if (answer.status === 401) throw unauthorized()
    refusePages(answer, site)
    const document = /json/.test(answer.type) ? parsed(answer.text) : undefined
    if (typeof document === 'object' && document !== null && answer.status < 400) out.answer(document, () => out.json(document))
    else process.stdout.write(answer.text.endsWith('\n') || answer.text === '' ? answer.text : `${answer.text}\n`)
    if (answer.status < 400) return 0
    out.note(`goldmaster: ${site} answered ${answer.status}`)
    return answer.status === 404 ? EXIT.notFound : EXIT.failed
  },
})

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const headersOf = (given: readonly string[]) =>
  Object.fromEntries(
    given.map((line) => {
      const found = /^([\w-]+):\s*([^\r\n]*)$/.exec(line)
      if (!found || found[1]!.toLowerCase() === 'authorization')
        throw usage(`--header must be name:value and not authorization: ${line.split(':')[0]}`)
      return [found[1]!.toLowerCase(), found[2]!]
    }),
  )
