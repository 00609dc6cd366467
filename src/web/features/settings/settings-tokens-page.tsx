import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf } from '../../../contract/labels.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'

import { TokenDialog } from './token-dialog.tsx'

type Token = AppReply<'listTokens'>['tokens'][number]

export default function SettingsTokens() {
  const query = useApi('listTokens', {})
  const [making, setMaking] = useState(false)
  const make = (
    <Button look="main" onClick={() => setMaking(true)}>
      <Icon name="plus" /> New token
    </Button>
  )
  return (
    <Page title="API tokens" actions={make}>
      <p className="max-w-prose text-sm text-soft">
        A token lets a program act as you, within its scopes, in all your accounts and projects or only in those you select. The{' '}
        <a href="/api/docs" className="underline">
          API reference
        </a>{' '}
        lists the scope of each call.
      </p>
      <Loaded query={query}>
        {({ tokens }) =>
          tokens.length === 0 ? (
            <Empty title="No tokens yet">
              Create a token for a script or an assistant. The command line gets its own when you log in.
            </Empty>
          ) : (
            <Tokens tokens={tokens} />
          )
        }
      </Loaded>
      {making && <TokenDialog onClose={() => setMaking(false)} />}
    </Page>
  )
}

/** Active ones first. */
const Tokens = ({ tokens }: { tokens: Token[] }) => (
  <Table
    caption="API tokens"
    rows={[...tokens].sort((a, b) => Number(isOver(a)) - Number(isOver(b)))}
    keyOf={({ id }) => id}
    columns={[
      {
        head: 'Token',
        cell: (token) => (
          <div className={`grid gap-0.5 ${isOver(token) ? 'text-soft' : ''}`}>
            <span className="break-words font-medium">{token.name}</span>
            <code className="font-mono text-xs text-soft">{token.prefix}…</code>
            <span className="text-xs text-soft md:hidden">
              Used <Time at={token.last_used_at} />
            </span>
          </div>
        ),
      },
      { head: 'Access', wide: true, cell: (token) => <Reach token={token} /> },
      { head: 'Scopes', cell: ({ scopes }) => <Scopes scopes={scopes} /> },
      { head: 'Last used', wide: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
      {
        head: 'Created',
        wide: true,
        cell: ({ created_at, created_via }) => (
          <>
            <Time at={created_at} /> <span className="text-soft">{labelOf('token_origin', created_via)}</span>
          </>
        ),
      },
      { head: 'Expires', wide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
      { head: 'Actions', className: 'text-right', cell: (token) => <Revoke token={token} /> },
    ]}
  />
)

function Reach({ token: { account_id, project_ids } }: { token: Token }) {
  const { accounts, projects } = useMe()
  if (account_id === null) return 'All your accounts'
  const account = accounts.find(({ id }) => id === account_id)?.name ?? 'An account you left'
  const names = project_ids?.map((one) => projects.find(({ id }) => id === one)?.name ?? 'a deleted project')
  return (
    <span className="break-words">
      {account}
      {names && <span className="text-soft">: {names.join(', ')}</span>}
    </span>
  )
}

const isOver = ({ revoked_at, expires_at }: Token) =>
  revoked_at !== null || (expires_at !== null && Date.parse(expires_at) < Date.now())

const Scopes = ({ scopes }: { scopes: Token['scopes'] }) => (
  <details>
    <summary className="whitespace-nowrap text-soft">
      {scopes.length} {scopes.length === 1 ? 'scope' : 'scopes'}
    </summary>
    <ul className="mt-1 grid gap-1">
      {scopes.map((scope) => (
        <li key={scope} className="text-xs">
          <code className="font-mono">{scope}</code> <span className="text-soft max-md:hidden">{labelOf('scope', scope)}</span>
        </li>
      ))}
    </ul>
  </details>
)

function Revoke({ token }: { token: Token }) {
  const revoke = useWrite('revokeToken', ['listTokens'])
  if (token.revoked_at) return <Pill kind="err">Revoked</Pill>
  if (isOver(token)) return <Pill>Expired</Pill>
  return (
    <Confirm
      label="Revoke"
      title={`Revoke ${token.name}?`}
      action="Revoke it"
      done={`${token.name} was revoked`}
      run={() => revoke.mutateAsync({ id: token.id })}
    >
      Programs that use it stop working at once. This can’t be undone.
    </Confirm>
  )
}
