import { useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { SCOPES, type Scope } from '../../contract/sets.ts'
import { wordsOf } from '../api.ts'
import { Button } from '../parts/button.tsx'
import { Notice } from '../parts/notice.tsx'
import { Page } from '../parts/page.tsx'
import { useWrite } from '../queries.ts'
import { SCOPE_WORDS } from '../scopes.ts'
import { useMe } from '../session.ts'

interface Asked {
  port: number
  state: string
  code_challenge: string
  client_name: string
  scopes: Scope[]
}

/** Consent: who asks, for what, until when. The answer goes back to a program on this machine and nowhere else. */
export default function CliAuth() {
  const asked = readAsked(useSearch({ strict: false }) as Record<string, unknown>)
  const { user } = useMe()
  const decide = useWrite('decideCommandLine')
  const [gone, setGone] = useState<'allowed' | 'refused'>()
  if (!asked)
    return (
      <Page title="Log in a command line">
        <Notice kind="err">This link is not complete. Start the login again where it came from.</Notice>
      </Page>
    )
  if (gone)
    return (
      <Page title={gone === 'allowed' ? 'You are logged in' : 'Refused'}>
        <Notice kind={gone === 'allowed' ? 'ok' : 'info'}>You can close this tab and go back to your terminal.</Notice>
      </Page>
    )
  const answer = async (allow: boolean) => {
    const { redirect_to } = await decide.mutateAsync({ body: { ...asked, allow } })
    setGone(allow ? 'allowed' : 'refused')
    location.assign(redirect_to)
  }
  const until = new Date(Date.now() + 90 * 86_400_000).toLocaleDateString('en', { dateStyle: 'long' })
  return (
    <Page title={`Let ${asked.client_name} in?`}>
      <div className="grid max-w-xl gap-4">
        <p>
          <strong>{asked.client_name}</strong> on this machine asks to act for you, <strong>{user.name}</strong> ({user.email}),
          until {until}. Go on only if you started this yourself just now.
        </p>
        <ul className="grid gap-1 rounded-lg border border-line bg-panel p-4 text-sm">
          {asked.scopes.map((scope) => (
            <li key={scope} className="flex flex-wrap gap-x-3">
              <code className="font-mono text-xs leading-6">{scope}</code>
              <span className="text-soft">{SCOPE_WORDS[scope]}</span>
            </li>
          ))}
        </ul>
        {decide.error && <Notice kind="err">{wordsOf(decide.error)}</Notice>}
        <div className="flex gap-2">
          <Button look="main" busy={decide.isPending} onClick={() => answer(true)}>
            Allow
          </Button>
          <Button disabled={decide.isPending} onClick={() => answer(false)}>
            Deny
          </Button>
        </div>
      </div>
    </Page>
  )
}

function readAsked(search: Record<string, unknown>): Asked | undefined {
  const port = Number(search.port)
  const code_challenge = String(search.code_challenge ?? '')
  if (search.code_challenge_method !== 'S256' || !/^[A-Za-z0-9_-]{43}$/.test(code_challenge)) return undefined
  if (!Number.isInteger(port) || port < 1 || port > 65_535) return undefined
  const wanted = String(search.scope ?? '').split(/[\s,]+/)
  const open = SCOPES.filter((scope) => scope !== 'read:members')
  const named = open.filter((scope) => scope === 'ping' || wanted.includes(scope))
  return {
    port,
    code_challenge,
    state: String(search.state ?? ''),
    client_name: String(search.client_name || 'A command line').slice(0, 80),
    scopes: search.scope ? named : [...open],
  }
}
