import { type Client, clientRoutes } from '../../contract/client.ts'
import { GRANTABLE_SCOPES, LOGIN_SCOPES } from '../../contract/sets.ts'
import type { Command } from '../../terminal/command.ts'
import { explain, type Failure } from '../../terminal/failures.ts'
import type { Arguments, Flag, Flags } from '../../terminal/flags.ts'
import { visit } from '../connection/browser.ts'
import { fieldsOf } from '../output/fields.ts'
import { Call } from './call.ts'

/** The reply that `--json` prints: the fields to choose from are those of its rows, which are then printed alone, or its own. */
interface Shows {
  route: keyof Client
  rows?: string
}

/** Relative to the service's URL, or as the service returned it. */
type Pages = string | readonly string[]

interface ClientCommand<F extends Flags, A extends Arguments> extends Omit<Command<F, A>, 'prints' | 'run'> {
  /** Works inside a project: accepts `--project`, or uses the one chosen for the folder. */
  project?: true
  /** Calls no service: has no `--host`. */
  offline?: true
  shows?: Shows | 'anything'
  /** The web app pages for the same: accepts `--web`, and then does nothing else. */
  web?(call: Call<F, A>): Pages | Promise<Pages>
  /** A returned number is the exit code. */
  run(call: Call<F, A>): unknown
}

export const projectId = (text: string): string => {
  if (!/^[1-9]\d{0,9}$/.test(text))
    throw new Error('It must be a project id, such as 1. To see your projects, run: goldmaster projects list')
  return text
}

const HOST: Flag = { help: 'Service URL, such as https://gold.example (or GOLDMASTER_HOST)', value: 'url' }
const VERBOSE: Flag = { help: 'Log every request to standard error (or GOLDMASTER_DEBUG=1)' }
const WEB: Flag = { help: 'Open the page in the browser instead; change nothing' }
const PROJECT: Flag = {
  help: 'Project id (default: the one chosen with goldmaster use)',
  value: 'id',
  read: projectId,
}

const shapeOf = ({ route, rows }: Shows) => ({ fields: fieldsOf(route, rows), first: fieldsOf(route), rows })

/** Shown before the refusal: what a default login cannot do. */
function scopeDetails({ route }: Shows): string {
  const { scope } = clientRoutes[route]
  if (scope === undefined || LOGIN_SCOPES.includes(scope)) return ''
  if (!GRANTABLE_SCOPES.includes(scope))
    return `Needs the scope ${scope}, which goldmaster login cannot grant. Create a token under Settings → API tokens.`
  return `Needs the scope ${scope}: sign in with goldmaster login --scope all, or create a token under Settings → API tokens.`
}

/** A command that calls the service. Gives `run` its flags and arguments by name. */
export const command = <const F extends Flags, const A extends Arguments>({
  project,
  offline,
  shows,
  web,
  run,
  ...made
}: ClientCommand<F, A>): Command => {
  const details = [made.details, shows && shows !== 'anything' && scopeDetails(shows)].filter(Boolean).join('\n')
  const built: Command<F, A> = {
    ...made,
    ...(details && { details }),
    flags: {
      ...made.flags,
      ...(project && { project: PROJECT }),
      ...(!offline && { host: HOST, verbose: VERBOSE }),
      ...(web && { web: WEB }),
    } as unknown as F,
    ...(shows && { prints: shows === 'anything' ? shows : shapeOf(shows) }),
    async run(given) {
      const call = new Call(given, { env: process.env, folder: process.cwd() })
      try {
        if (!web || !(given.flags as { web?: boolean }).web) return await run(call)
        for (const page of [await web(call)].flat())
          await visit(page.startsWith('/') ? call.page(page) : page, call.env, (url) => call.out.say(url))
      } catch (error) {
        throw failureOf(error, call)
      }
    },
  }
  return built as unknown as Command
}

/** Even the URL may be the problem. */
const failureOf = (error: unknown, call: Pick<Call, 'site' | 'source'>): Failure => {
  try {
    return explain(error, { site: call.site, source: call.source })
  } catch {
    return explain(error, {})
  }
}
