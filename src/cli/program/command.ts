import { type RouteName, routes } from '../../contract/routes.ts'
import { GRANTABLE_SCOPES, LOGIN_SCOPES } from '../../contract/sets.ts'
import type { Command } from '../../terminal/command.ts'
import { explain, type Failure } from '../../terminal/failures.ts'
import type { Arguments, Flag, Flags } from '../../terminal/flags.ts'
import { visit } from '../connection/browser.ts'
import { fieldsOf } from '../output/fields.ts'
import { Call } from './call.ts'

/** Whose answer `--json` prints: the fields that may be chosen are those of its rows, which are then printed alone, or its own. */
interface Shows {
  route: RouteName
  rows?: string
}

/** Below the service's own address, or as the service told it. */
type Pages = string | readonly string[]

interface ClientCommand<F extends Flags, A extends Arguments> extends Omit<Command<F, A>, 'prints' | 'run'> {
  /** Works inside a project: takes `--project`, or the one chosen for the folder. */
  project?: true
  /** Speaks to no service: takes no `--host`. */
  offline?: true
  shows?: Shows | 'anything'
  /** The pages of the web app that show the same, or where the same is done: takes `--web`, and then does nothing else. */
  web?(call: Call<F, A>): Pages | Promise<Pages>
  /** A number that it returns is the exit code. */
  run(call: Call<F, A>): unknown
}

export const projectId = (text: string): string => {
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new Error('It must be the number of a project; goldmaster projects list shows them.')
  return text
}

const HOST: Flag = { help: 'the service, such as https://gold.example (or GOLDMASTER_HOST)', value: 'url' }
const VERBOSE: Flag = { help: 'tell every request on standard error (or GOLDMASTER_DEBUG=1)' }
const WEB: Flag = { help: 'show it in the browser instead' }
const PROJECT: Flag = {
  help: "the project's id (default: the one chosen for this folder with goldmaster use)",
  value: 'id',
  read: projectId,
}

const shapeOf = ({ route, rows }: Shows) => ({ fields: fieldsOf(route, rows), first: fieldsOf(route), rows })

/** Told before the refusal: what a usual login cannot do. */
function scopeDetails({ route }: Shows): string {
  const { scope } = routes[route]
  if (scope === undefined || LOGIN_SCOPES.includes(scope)) return ''
  const way = GRANTABLE_SCOPES.includes(scope) ? 'sign in with goldmaster login --scope all' : 'a login never grants it'
  return `Needs the scope ${scope}: ${way}, or make a token at Settings → API tokens.`
}

/** A command that asks the service. Lets `run` know its flags and arguments by their names. */
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

/** Even the address may be what is wrong. */
const failureOf = (error: unknown, call: Pick<Call, 'site' | 'source'>): Failure => {
  try {
    return explain(error, { site: call.site, source: call.source })
  } catch {
    return explain(error, {})
  }
}
