import { useNavigate } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { wordsOf } from '../../api.ts'
import { queryClient, useApi, useWrite } from '../../queries.ts'
import { useAccount, useMe } from '../../session.ts'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Address } from '../../ui/text/address.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { AccountChoice } from './account-choice.tsx'
import { ClaimedAccounts } from './claimed-accounts.tsx'
import { Invitations } from './invitations.tsx'

type Member = AppReply<'listAccountMembers'>['members'][number]
type Role = Member['role']

/** Who belongs to the account, and who may come. */
export default function SettingsMembers() {
  const account = useAccount()
  const query = useApi('listAccountMembers', { account_id: account?.id ?? 0 }, { enabled: account !== undefined })
  const owner = account?.role === 'owner'
  return (
    <Page title="People" actions={<AccountChoice />}>
      <p className="max-w-prose text-sm text-soft">
        Everybody here reaches all projects of {account?.name}. Owners also change its settings, its tools and its people.
      </p>
      <Loaded query={query}>
        {({ members }) => (
          <Table
            caption="People of the account"
            rows={members}
            keyOf={({ user_id }) => user_id}
            columns={[
              {
                head: 'Name',
                cell: ({ name, email }) => (
                  <div className="grid">
                    <span className="font-medium">{name}</span>
                    {email && <Address email={email} />}
                  </div>
                ),
              },
              { head: 'Role', cell: (member) => <RoleChoice member={member} accountId={account!.id} mayChange={owner} /> },
              { head: 'Since', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
              {
                head: 'Actions',
                className: 'text-right',
                cell: (member) => <Remove member={member} accountId={account!.id} accountName={account!.name} owner={owner} />,
              },
            ]}
          />
        )}
      </Loaded>
      {owner && account && <ClaimedAccounts account={account} />}
      {owner && account && <Invitations key={account.id} account={account} />}
    </Page>
  )
}

function RoleChoice({ member, accountId, mayChange }: { member: Member; accountId: number; mayChange: boolean }) {
  const edit = useWrite('editAccountMember', ['listAccountMembers', 'showMe'])
  const say = useToast()
  if (!mayChange) return member.role
  const change = async (role: Role) => {
    try {
      await edit.mutateAsync({ account_id: accountId, user_id: member.user_id, body: { role } })
      say(`${member.name} is ${role === 'owner' ? 'an owner' : 'a member'} now`)
    } catch (error) {
      say(wordsOf(error), 'err')
    }
  }
  return (
    <Filter
      label={`Role of ${member.name}`}
      value={edit.isPending ? edit.variables.body.role : member.role}
      disabled={edit.isPending}
      onChange={(event) => void change(event.target.value as Role)}
      options={[
        ['owner', 'owner'],
        ['member', 'member'],
      ]}
    />
  )
}

function Remove({
  member,
  accountId,
  accountName,
  owner,
}: {
  member: Member
  accountId: number
  accountName: string
  owner: boolean
}) {
  const remove = useWrite('removeAccountMember', ['listAccountMembers', 'listPeople'])
  const { user } = useMe()
  const navigate = useNavigate()
  const say = useToast()
  const self = member.user_id === user.id
  if (!owner && !self) return null
  const run = async () => {
    await remove.mutateAsync({ account_id: accountId, user_id: member.user_id })
    say(self ? `You left ${accountName}` : `${member.name} was removed`)
    if (!self) return
    await navigate({ to: '/feed' })
    await queryClient.invalidateQueries()
  }
  return (
    <Confirm
      label={self ? 'Leave' : 'Remove'}
      title={self ? `Leave ${accountName}?` : `Remove ${member.name}?`}
      action={self ? 'Leave' : 'Remove'}
      look="quiet"
      run={run}
    >
      {self ? 'You no longer reach' : 'They no longer reach'} any of its projects, in the browser or by token, from the next
      request on.
    </Confirm>
  )
}
