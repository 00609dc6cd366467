import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { choicesOf, labelOf, lowered } from '../../../contract/labels.ts'
import { ACCOUNT_ROLES, suffices } from '../../../contract/sets.ts'
import { queryClient, refreshAll, useApi, useWrite } from '../../queries.ts'
import { useAccount, useMay, useMe } from '../../session.ts'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { PersonName } from '../../ui/text/person-name.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useReport, useToast } from '../../ui/toast.tsx'
import { AccountChoice } from '../settings/account-choice.tsx'

import { Invitations } from './invitations.tsx'
import { FormerMembersTokens, TokensMadeBy } from './made-tokens.tsx'
import { MemberNames } from './member-names.tsx'
import { useRevokeMade } from './revoke-made.ts'

type Member = AppReply<'listAccountMembers'>['members'][number]
type MadeToken = AppReply<'listMadeTokens'>['tokens'][number]
type Role = Member['role']

/** The members of the account, and invitations. */
export default function People() {
  const account = useAccount()
  const query = useApi('listAccountMembers', { account_id: account?.id ?? 0 }, { enabled: account !== undefined })
  const admin = useMay('admin')
  return (
    <Page title="People" actions={<AccountChoice />}>
      <p className="max-w-prose text-sm text-soft">
        Owners and admins of {account?.name} manage its settings, tools and people, and have access to every project. Only owners
        manage billing and other owners. Guests only see the projects they are a member of.
      </p>
      <Loaded query={query}>
        {({ members }) => (
          <Table
            caption="People in this account"
            rows={members}
            keyOf={({ user_id }) => user_id}
            columns={[
              {
                head: 'Name',
                cell: ({ name, email }) => <PersonName name={name} email={email} />,
              },
              { head: 'Role', cell: (member) => <RoleChoice member={member} accountId={account!.id} mayChange={admin} /> },
              { head: 'Since', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
              {
                head: 'Actions',
                className: 'text-right',
                cell: (member) => <Remove member={member} accountId={account!.id} accountName={account!.name} admin={admin} />,
              },
            ]}
          />
        )}
      </Loaded>
      {admin && account && <MemberNames account={account} />}
      {admin && account && <FormerMembersTokens accountId={account.id} />}
      {admin && account && <Invitations key={account.id} account={account} />}
    </Page>
  )
}

function RoleChoice({ member, accountId, mayChange }: { member: Member; accountId: number; mayChange: boolean }) {
  const edit = useWrite('editAccountMember', ['listAccountMembers', 'showMe'])
  const report = useReport()
  const own = useAccount()?.role ?? 'guest'
  if (!mayChange || !suffices(own, member.role)) return labelOf('account_role', member.role)
  const change = (role: Role) =>
    report(
      edit.mutateAsync({ account_id: accountId, user_id: member.user_id, body: { role } }),
      `${member.name} is now ${/^[ao]/.test(role) ? 'an' : 'a'} ${lowered(labelOf('account_role', role))}`,
    )
  return (
    <Filter
      label={`Role of ${member.name}`}
      value={edit.isPending ? edit.variables.body.role : member.role}
      disabled={edit.isPending}
      onChange={(value) => void change(value as Role)}
      options={choicesOf(
        'account_role',
        ACCOUNT_ROLES.filter((role) => suffices(own, role)),
      )}
    />
  )
}

function Remove({
  member,
  accountId,
  accountName,
  admin,
}: {
  member: Member
  accountId: number
  accountName: string
  admin: boolean
}) {
  const remove = useWrite('removeAccountMember', ['listAccountMembers', 'listPeople', 'listMadeTokens'])
  const revokeMade = useRevokeMade()
  const [chosen, setChosen] = useState<MadeToken[]>([])
  const { user } = useMe()
  const navigate = useNavigate()
  const say = useToast()
  const self = member.user_id === user.id
  if (!admin && !self) return null
  const run = async () => {
    for (const token of chosen) await revokeMade(token)
    await remove.mutateAsync({ account_id: accountId, user_id: member.user_id })
    say(self ? `You left ${accountName}` : `${member.name} was removed`)
    if (!self) return
    await navigate({ to: '/feed' })
    await refreshAll(queryClient)
  }
  return (
    <Confirm
      label={self ? 'Leave' : 'Remove'}
      title={self ? `Leave ${accountName}?` : `Remove ${member.name}?`}
      action={self ? 'Leave' : 'Remove'}
      look="quiet"
      run={run}
    >
      {self ? 'You lose' : 'They lose'} access to all projects of this account at once, in the browser and with API tokens.
      {admin && !self && <TokensMadeBy accountId={accountId} userId={member.user_id} chosen={chosen} onChange={setChosen} />}
    </Confirm>
  )
}
