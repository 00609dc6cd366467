import { useSearch } from '@tanstack/react-router'
import { GRANTABLE_SCOPES, LOGIN_SCOPES } from '../../../contract/sets.ts'
import { ask, wordsOf } from '../../api.ts'
import { useApi } from '../../queries.ts'
import { Consent } from './consent.tsx'
import { LoginEnds } from './login-ends.tsx'

type Search = Record<string, string>

/** The page to which a program sends the browser of its user: the CLI, or an assistant that logs in. */
export default function CliAuth() {
  const search = useSearch({ strict: false }) as Search
  return search.request === undefined ? <CommandLine search={search} /> : <Assistant request={search.request} />
}

/** The response is sent only to a program on this machine. */
function CommandLine({ search }: { search: Search }) {
  const asked = readAsked(search)
  if (!asked) return <LoginEnds>This link is incomplete. Start the login again in your terminal or assistant.</LoginEnds>
  return (
    <Consent
      name={asked.client_name}
      place="on this machine"
      scopes={asked.scopes}
      decide={(allow) => ask('decideCommandLine', { body: { ...asked, allow } })}
    />
  )
}

/** The server has validated the request and knows its redirect URI. */
function Assistant({ request }: { request: string }) {
  const { data, error } = useApi('showAssistantRequest', { query: { request } })
  if (error) return <LoginEnds>{wordsOf(error)}</LoginEnds>
  if (!data) return null
  return (
    <Consent
      name={data.client_name}
      place={
        data.host.endsWith(':') ? (
          <>
            on this machine, which opens <strong className="break-all">{data.host}</strong> links,
          </>
        ) : (
          <>
            at <strong className="break-all">{data.host}</strong>
          </>
        )
      }
      scopes={data.scopes}
      decide={(allow) => ask('decideAssistantRequest', { body: { request, allow } })}
    />
  )
}

function readAsked(search: Search) {
  const { code_challenge = '', code_challenge_method, client_name, state = '', scope } = search
  const port = Number(search.port)
  if (code_challenge_method !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(code_challenge)) return undefined
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  const wanted = (scope ?? '').split(/[\s,]+/)
  return {
    port,
    code_challenge,
    state,
    client_name: (client_name || 'A command line').slice(0, 80),
    scopes: scope ? GRANTABLE_SCOPES.filter((each) => each === 'ping' || wanted.includes(each)) : [...LOGIN_SCOPES],
  }
}
