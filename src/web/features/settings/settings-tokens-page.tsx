import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
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
import { useToast } from '../../ui/toast.tsx'
import { SCOPE_WORDS } from './scopes.ts'
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
        A token lets a program act for you where you may, within its scopes: in every account and project you reach, or in those
        that you choose. The{' '}
        <a href="/api/docs" className="underline">
          API reference
        </a>{' '}
        says what each call needs.
      </p>
      <Loaded query={query}>
        {({ tokens }) =>
          tokens.length === 0 ? (
            <Empty title="No tokens yet">
              Make one for a script or an assistant; the command line makes its own when it logs in.
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

/** Those that work first. */
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
              used <Time at={token.last_used_at} />
            </span>
          </div>
        ),
      },
      { head: 'Reaches', wide: true, cell: (token) => <Reach token={token} /> },
      { head: 'Scopes', cell: ({ scopes }) => <Scopes scopes={scopes} /> },
      { head: 'Last used', wide: true, cell: ({ last_used_at }) => <Time at={last_used_at} /> },
      {
        head: 'Made',
        wide: true,
        cell: ({ created_at, created_via }) => (
          <>
            <Time at={created_at} /> <span className="text-soft">by {ORIGINS[created_via]}</span>
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
  if (account_id === null) return 'everything you reach'
  const account = accounts.find(({ id }) => id === account_id)?.name ?? 'an account you left'
  const names = project_ids?.map((one) => projects.find(({ id }) => id === one)?.name ?? 'a project that is gone')
  return (
    <span className="break-words">
      {account}
      {names && <span className="text-soft">: {names.join(', ')}</span>}
    </span>
  )
}

const ORIGINS: Record<Token['created_via'], string> = {
  web: 'you',
  cli: 'the command line',
  mcp: 'an assistant',
  api: 'another token',
  admin: 'an operator',
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
          <code className="font-mono">{scope}</code> <span className="text-soft max-md:hidden">{SCOPE_WORDS[scope]}</span>
        </li>
      ))}
    </ul>
  </details>
)

function Revoke({ token }: { token: Token }) {
  const revoke = useWrite('revokeToken', ['listTokens'])
  const say = useToast()
  if (token.revoked_at) return <Pill kind="err">revoked</Pill>
  if (isOver(token)) return <Pill>expired</Pill>
  return (
    <Confirm
      label="Revoke"
      title={`Revoke ${token.name}?`}
      action="Revoke it"
      run={async () => {
        await revoke.mutateAsync({ id: token.id })
        say(`${token.name} was revoked`)
      }}
    >
      Whatever uses it is refused from the next request on. This cannot be undone.
    </Confirm>
  )
}
