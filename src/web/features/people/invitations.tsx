import { useState } from 'react'
import type { AccountSummary } from '../../../contract/app/shapes.ts'
import { labelOf, TERMS } from '../../../contract/labels.ts'
import { EMAIL } from '../../../contract/limits.ts'
import { type AccountRole, suffices } from '../../../contract/sets.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Confirm } from '../../ui/form/confirm.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Checkbox, Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Copy } from '../../ui/text/copy.tsx'
import { Time } from '../../ui/text/time.tsx'

const ROLES = (['member', 'guest', 'admin', 'owner'] as const).map(
  (role) => [role, `${labelOf('account_role', role)}: ${TERMS.account_role[role].description}`] as const,
)

/** Inviting people; the link is shown if no emails are sent. */
export function Invitations({ account }: { account: AccountSummary }) {
  const query = useApi('listInvitations', { account_id: account.id })
  const [email, setEmail, clear] = useDraft(`invitation ${account.id}`, '')
  const [role, setRole] = useState<AccountRole>('member')
  const [chosen, setChosen] = useState<number[]>([])
  const projects = useMe().projects.filter(({ account_id }) => account_id === account.id)
  const [made, setMade] = useState<{ email: string; url: string | null }>()
  const invite = useWrite('invite', ['listInvitations'])
  const withdraw = useWrite('withdrawInvitation', ['listInvitations'])
  const locked = account.read_only !== null
  const submit = async () => {
    setMade(undefined)
    setMade(
      await invite.mutateAsync({ account_id: account.id, body: { email, role, project_ids: role === 'guest' ? chosen : [] } }),
    )
    setEmail('')
    clear()
  }
  return (
    <Section title="Invite people">
      <Form action="Invite" submit={submit} disabled={locked || email.trim() === '' || (role === 'guest' && chosen.length === 0)}>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            label="Email"
            type="email"
            required
            disabled={locked}
            autoComplete="off"
            maxLength={EMAIL.maxLength}
            value={email}
            onChange={setEmail}
          />
          <Select
            label="Role"
            disabled={locked}
            options={ROLES.filter(([role]) => suffices(account.role, role))}
            value={role}
            onChange={(value) => setRole(value as AccountRole)}
          />
        </div>
        {role === 'guest' && (
          <fieldset className="grid gap-1 text-sm">
            <legend className="mb-1 font-medium">Projects</legend>
            {projects.map(({ id, name }) => (
              <Checkbox
                key={id}
                label={name}
                checked={chosen.includes(id)}
                onChange={(isChecked) => setChosen((now) => (isChecked ? [...now, id] : now.filter((one) => one !== id)))}
              />
            ))}
          </fieldset>
        )}
      </Form>
      {made && (
        <Notice kind="ok">
          <div className="grid min-w-0 gap-2">
            <span>
              {made.url
                ? `This service can’t send email. Send this link to ${made.email} yourself. It works once and expires in 7 days:`
                : `Invitation sent to ${made.email}. The link works once and expires in 7 days.`}
            </span>
            {made.url && (
              <div className="text-ink">
                <Copy value={made.url} label="Invitation link" />
              </div>
            )}
          </div>
        </Notice>
      )}
      <Loaded query={query}>
        {({ invitations }) =>
          invitations.length === 0 ? (
            <p className="text-sm text-soft">No pending invitations.</p>
          ) : (
            <Table
              caption="Pending invitations"
              rows={invitations}
              keyOf={({ id }) => id}
              columns={[
                { head: 'Invited', cell: ({ email }) => <span className="break-all">{email}</span> },
                { head: 'Role', cell: ({ role }) => labelOf('account_role', role) },
                { head: 'Expires', wide: true, cell: ({ expires_at }) => <Time at={expires_at} /> },
                {
                  head: 'Actions',
                  className: 'text-right',
                  cell: ({ id, email }) => (
                    <Confirm
                      label="Withdraw"
                      title={`Withdraw the invitation for ${email}?`}
                      action="Withdraw it"
                      look="quiet"
                      done="Invitation withdrawn"
                      run={() => withdraw.mutateAsync({ account_id: account.id, id })}
                    >
                      The invitation link stops working.
                    </Confirm>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
    </Section>
  )
}
