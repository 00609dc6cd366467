import { isLoopback } from '../../../contract/loopback.ts'
import { GRANTABLE_SCOPES, LOGIN_SCOPES } from '../../../contract/sets.ts'
import { ask, readSecret } from '../../../terminal/ask.ts'
import { EXIT, Failure, usage } from '../../../terminal/failures.ts'
import { relative } from '../../../terminal/times.ts'
import { storeCredential } from '../../connection/config.ts'
import { openClient } from '../../connection/requests.ts'
import { type Grant, signIn } from '../../connection/sign-in.ts'
import { command } from '../../program/command.ts'
import { SUMMARIES } from '../../summaries.ts'

/** Everything that a login can grant. */
const ALL = 'all'
const CHOICES: readonly string[] = [...GRANTABLE_SCOPES, ALL]

/** Scopes that a login grants only on request. */
const ASKED = GRANTABLE_SCOPES.filter((scope) => !LOGIN_SCOPES.includes(scope)).join(' and ')

const loginScope = (text: string) => {
  if (!CHOICES.includes(text)) throw new Error(`It must be one of: ${CHOICES.join(', ')}.`)
  return text
}

/** Nobody pastes into a pipe. */
const pasted = () =>
  process.stdin.isTTY && process.stderr.isTTY ? (signal: AbortSignal) => ask('Address', '--token', signal) : undefined

async function readToken(site: string): Promise<string> {
  const token = (await readSecret(`Token for ${site}`)).trim()
  if (!/^[\x21-\x7e]{1,512}$/.test(token)) throw usage(`No token on standard input. Create one at ${site}/settings/tokens`)
  return token
}

export const login = command({
  name: 'login',
  summary: SUMMARIES.login,
  flags: {
    token: { help: 'Read a token from standard input instead of using the browser' },
    no_browser: { help: 'Print the sign-in URL; open it on any machine and paste the URL it ends up on' },
    scope: {
      help: `Scopes of the token, a comma-separated list of: ${CHOICES.join(', ')}`,
      value: 'scopes',
      values: CHOICES,
      many: true,
      read: loginScope,
    },
  },
  details:
    `Without --scope you get the scopes that most commands need, without ${ASKED}; --scope all includes them.\n` +
    'Tokens are saved in $XDG_CONFIG_HOME/goldmaster/hosts.json (on Windows %APPDATA%). Only you can read the file, and each token is sent only to its host.\n' +
    'GOLDMASTER_TOKEN and GOLDMASTER_HOST override saved logins. In CI, set both instead of signing in.',
  examples: [
    'login --host https://gold.example',
    'login --host gold.example --scope read:builds,read:tasks',
    'login --host gold.example --scope all',
    'login --host gold.example --token < token.txt',
  ],
  async run({ flags, site, env, send, out }) {
    if (site.startsWith('http:') && !isLoopback(site))
      out.note(`Warning: ${site} is not encrypted. Others on the network can read your token.`)
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
          `${site} rejected the token: it is unknown, revoked or expired. Nothing was saved. Create one at ${site}/settings/tokens`,
          EXIT.notSignedIn,
        )
      })
    const file = storeCredential(env, site, { token: granted.token, scopes: token.scopes, expires_at: token.expires_at })
    const until =
      token.expires_at === null ? 'and does not expire' : `and expires ${relative(token.expires_at)} (${token.expires_at})`
    out.note(`Signed in at ${site} as user ${user_id}. The token "${token.name}" is saved in ${file} ${until}.`)
    if (env.GOLDMASTER_TOKEN) out.note('GOLDMASTER_TOKEN is set and overrides this login.')
  },
})
