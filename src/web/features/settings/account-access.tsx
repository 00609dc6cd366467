import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { useApi, useWrite } from '../../queries.ts'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Checkbox, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'

/** Access to projects, the maximum age of tokens, and the list of tokens; for admins. */
export function AccountAccess({ account }: { account: AppReply<'showAccount'> }) {
  const [seesAll, setSeesAll] = useState(account.members_see_projects)
  const [days, setDays] = useState(String(account.token_days_max ?? ''))
  const edit = useWrite('editAccount', ['showAccount', 'showMe'])
  const locked = account.read_only !== null
  const token_days_max = days.trim() === '' ? null : Number(days)
  const same = seesAll === account.members_see_projects && token_days_max === account.token_days_max
  const submit = () => edit.mutateAsync({ account_id: account.id, body: { members_see_projects: seesAll, token_days_max } })
  return (
    <Section title="Access">
      <Form action="Save" submit={submit} done="Saved" disabled={locked || same}>
        <Checkbox
          label="Members see every project"
          hint="If off, members see only the projects they are a member of. Guests never see others. Owners and admins always see all."
          disabled={locked}
          checked={seesAll}
          onChange={setSeesAll}
        />
        <TextField
          label="Maximum token age (days)"
          hint="Older tokens lose access to this account. Empty: no limit."
          type="number"
          min={1}
          max={3650}
          disabled={locked}
          value={days}
          onChange={setDays}
        />
      </Form>
      <MemberTokens accountId={account.id} />
    </Section>
  )
}

function MemberTokens({ accountId }: { accountId: number }) {
  const query = useApi('listAccountTokens', { account_id: accountId })
  const revoke = useWrite('revokeAccountToken', ['listAccountTokens'])
  return (
    <Loaded query={query}>
      {({ tokens }) =>
        tokens.length === 0 ? (
          <p className="text-sm text-soft">No API token has access to this account.</p>
        ) : (
          <>
            <h3 className="text-sm font-medium">Tokens with access to this account</h3>
            <Table
              caption="Tokens with access to this account"
              rows={tokens}
              keyOf={({ id }) => id}
              columns={[
                { head: 'Person', cell: ({ user_name }) => user_name },
                {
                  head: 'Token',
                  cell: ({ name, prefix }) => (
                    <span className="break-words">
                      {name} <code className="text-xs text-soft">{prefix}…</code>
                    </span>
                  ),
                },
                {
                  head: 'Access',
                  wide: true,
                  cell: ({ account_id, project_ids }) =>
                    account_id === null
                      ? 'This and other accounts'
                      : project_ids === null
                        ? 'This account'
                        : `${project_ids.length} ${project_ids.length === 1 ? 'project' : 'projects'}`,
                },
                { head: 'Expires', wide: true, cell: ({ expires_at }) => (expires_at ? <Time at={expires_at} /> : 'never') },
                {
                  head: 'Last used',
                  wide: true,
                  cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never'),
                },
                {
                  head: 'Actions',
                  className: 'text-right',
                  cell: ({ id, name, account_id }) => (
                    <Confirm
                      label="Revoke"
                      title={`Revoke ${name}?`}
                      action="Revoke it"
                      look="quiet"
                      done="Token revoked"
                      run={() => revoke.mutateAsync({ account_id: accountId, id })}
                    >
                      {account_id === null
                        ? 'The token loses access to this account at once. It keeps access to its owner’s other accounts.'
                        : 'The token stops working at once.'}
                    </Confirm>
                  ),
                },
              ]}
            />
          </>
        )
      }
    </Loaded>
  )
}
