import { isLoopback } from '../../contract/loopback.ts'
import { GRANTABLE_SCOPES, LOGIN_SCOPES } from '../../contract/sets.ts'
import { ask, readSecret } from '../../terminal/ask.ts'
import { EXIT, Failure, usage } from '../../terminal/failures.ts'
import { relative } from '../../terminal/times.ts'
import { storeCredential } from '../connection/config.ts'
import { openClient } from '../connection/requests.ts'
import { type Grant, signIn } from '../connection/sign-in.ts'
import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

/** Everything that a login can grant. */
const ALL = 'all'
const CHOICES: readonly string[] = [...GRANTABLE_SCOPES, ALL]

/** Scopes that a login grants only on request. */
const ASKED = GRANTABLE_SCOPES.filter((scope) => !LOGIN_SCOPES.includes(scope)).join(' and ')

const loginScope = (text: string) => {
  if (!CHOICES.includes(text)) throw new Error(`A login can grant: ${CHOICES.join(', ')}.`)
  return text
}

/** Nobody pastes into a pipe. */
const pasted = () =>
  process.stdin.isTTY && process.stderr.isTTY ? (signal: AbortSignal) => ask('Address', '--token', signal) : undefined

async function readToken(site: string): Promise<string> {
  const token = (await readSecret(`Token for ${site}`)).trim()
  if (!/^[\x21-\x7e]{1,512}$/.test(token)) throw usage(`No token came on standard input; make one at ${site}/settings/tokens`)
  return token
}

export const login = command({
  name: 'login',
  summary: SUMMARIES.login,
  flags: {
    token: { help: 'read a token from standard input instead of signing in with the browser' },
    no_browser: { help: 'print the address to visit on any machine, and take what the browser there ends at' },
    scope: {
      help: `ask for these scopes only; comma-separated list of: ${CHOICES.join(', ')}`,
      value: 'scopes',
      values: CHOICES,
      many: true,
      read: loginScope,
    },
  },
  details:
    `Without --scope you get what most commands need. ${ASKED} are only given when asked for: --scope all.\n` +
    'Tokens are kept in $XDG_CONFIG_HOME/goldmaster/hosts.json, readable by you alone, and are only sent to the host they belong to.\n' +
    'GOLDMASTER_TOKEN and GOLDMASTER_HOST come before what is kept: for CI, set both and sign in nowhere.',
  examples: [
    'login --host https://gold.example',
    'login --host gold.example --scope read:builds,read:tasks',
    'login --host gold.example --scope all',
    'login --host gold.example --token < token.txt',
  ],
  async run({ flags, site, env, send, out }) {
    if (site.startsWith('http:') && !isLoopback(site))
      out.note(`Beware: ${site} is not encrypted; others on the way can read your token.`)
    const scopes = flags.scope?.includes(ALL) ? GRANTABLE_SCOPES : (flags.scope ?? LOGIN_SCOPES)
    const note = (text: string) => out.note(text)
    const granted: Grant | { token: string } = flags.token
      ? { token: await readToken(site) }
      : await signIn({
          site,
          scopes,
          browser: !flags.no_browser,
          env,
          send,
          note,
          paste: flags.no_browser ? pasted() : undefined,
        })
    const { user_id, token } = await openClient(site, granted.token, send)
      .ping({})
      .catch((error) => {
        if (error.status !== 401) throw error
        throw new Failure(
          `${site} does not know this token, or it was revoked or has expired; nothing was kept. Make one at ${site}/settings/tokens`,
          EXIT.notSignedIn,
        )
      })
    const file = storeCredential(env, site, { token: granted.token, scopes: token.scopes, expires_at: token.expires_at })
    const until =
      token.expires_at === null ? 'and does not expire' : `and expires ${relative(token.expires_at)} (${token.expires_at})`
    out.note(`Signed in at ${site} as user ${user_id}. The token "${token.name}" is kept in ${file} ${until}.`)
    if (env.GOLDMASTER_TOKEN) out.note('GOLDMASTER_TOKEN is set and comes first.')
  },
})
