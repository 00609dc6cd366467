import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'

type Token = AppReply<'listUgsTokens'>['ugs_tokens'][number]

export const UgsTokens = ({ projectId, tokens }: { projectId: string; tokens: Token[] }) => (
  <Table
    caption="Tokens for Unreal Game Sync"
    rows={tokens}
    keyOf={({ id }) => id}
    columns={[
      {
        head: 'Token',
        cell: ({ name, prefix, revoked_at }) => (
          <div className={`grid gap-0.5 ${revoked_at ? 'text-soft' : ''}`}>
            <span className="break-words font-medium">{name}</span>
            <code className="font-mono text-xs text-soft">{prefix}…</code>
          </div>
        ),
      },
      { head: 'Created', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
      { head: 'Actions', className: 'text-right', cell: (token) => <Revoke projectId={projectId} token={token} /> },
    ]}
  />
)

function Revoke({ projectId, token }: { projectId: string; token: Token }) {
  const revoke = useWrite('revokeUgsToken', ['listUgsTokens'])
  if (token.revoked_at) return <Pill kind="err">Revoked</Pill>
  return (
    <Confirm
      label="Revoke"
      title={`Revoke ${token.name}?`}
      action="Revoke it"
      done={`${token.name} was revoked`}
      run={() => revoke.mutateAsync({ project_id: projectId, id: token.id })}
    >
      Clients and CI that use it stop working at once. Data they sent is kept. This can’t be undone.
    </Confirm>
  )
}
