import { useNavigate, useRouterState } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { labelOf } from '../../../contract/labels.ts'
import { LOGIN_DAYS, type Scope } from '../../../contract/sets.ts'
import { auth, wordsOf } from '../../api.ts'
import { queryClient } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { dateOf } from '../../ui/text/dates.ts'
import { OutsideFrame } from './outside-frame.tsx'

interface Props {
  /** The program's own name; it can be anything. */
  name: string
  /** Where it runs, and where the browser goes with the response. */
  place: ReactNode
  scopes: readonly Scope[]
  /** Records the decision and returns where the browser goes. */
  decide(allow: boolean): Promise<{ redirect_to: string }>
}

/** Consent: who asks, for what, until when, and the current user. */
export function Consent({ name, place, scopes, decide }: Props) {
  const { user } = useMe()
  const [busy, setBusy] = useState(false)
  const [error, setError] = useState<string>()
  const [gone, setGone] = useState<'allowed' | 'refused'>()
  if (gone)
    return (
      <OutsideFrame title={gone === 'allowed' ? 'You are logged in' : 'Access denied'}>
        <Notice kind={gone === 'allowed' ? 'ok' : 'info'}>You can close this tab.</Notice>
      </OutsideFrame>
    )
  const answer = async (allow: boolean) => {
    setBusy(true)
    setError(undefined)
    try {
      const { redirect_to } = await decide(allow)
      setGone(allow ? 'allowed' : 'refused')
      location.assign(redirect_to)
    } catch (failure) {
      setError(wordsOf(failure))
      setBusy(false)
    }
  }
  const until = dateOf('date', Date.now() + LOGIN_DAYS * 86_400_000)
  return (
    <OutsideFrame wide title={`Allow ${name}?`} below={<SomebodyElse />}>
      <div className="grid gap-4">
        <p>
          <strong className="break-words">{name}</strong> {place} wants to act as you, <strong>{user.name}</strong> ({user.email}
          ), until {until}. Allow this only if you just started it yourself.
        </p>
        <ul aria-label="Permissions" className="grid gap-1 rounded-lg border border-line bg-panel p-4 text-sm">
          {scopes.map((scope) => (
            <li key={scope} className="grid gap-x-3 sm:grid-cols-[12rem_1fr]">
              <code className="font-mono text-xs leading-6">{scope}</code>
              <span className="text-soft">{labelOf('scope', scope)}</span>
            </li>
          ))}
        </ul>
        {error && <Notice kind="err">{error}</Notice>}
        <div className="flex gap-2">
          <Button look="main" busy={busy} onClick={() => answer(true)}>
            Allow
          </Button>
          <Button disabled={busy} onClick={() => answer(false)}>
            Deny
          </Button>
        </div>
      </div>
    </OutsideFrame>
  )
}

/** Sign in as another person to answer. */
function SomebodyElse() {
  const navigate = useNavigate()
  const here = useRouterState({ select: (state) => state.location.href })
  const leave = async () => {
    await auth('/sign-out')
    await navigate({ to: '/sign-in', search: { to: here } as never })
    queryClient.clear()
  }
  return (
    <button type="button" className="underline" onClick={leave}>
      Sign in as another user
    </button>
  )
}
