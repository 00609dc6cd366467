import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { choicesOf, labelOf, TERMS } from '../../../contract/labels.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useAccount, useLocked, useProject } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Filter, Select } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { PersonName } from '../../ui/text/person-name.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useReport, useToast } from '../../ui/toast.tsx'

type Member = AppReply<'listProjectPeople'>['members'][number]
type Role = Member['project_role']

const ROLES = (['viewer', 'contributor', 'approver', 'lead'] as const satisfies readonly Role[]).map(
  (role) => [role, `${labelOf('project_role', role)}: ${TERMS.project_role[role].description}`] as const,
)
const SHORT = choicesOf(
  'project_role',
  ROLES.map(([role]) => role),
)

/** The members of the project and their roles. */
export default function Members() {
  const { projectId = '' } = useParams({ strict: false })
  const project = useProject()
  const account = useAccount()
  const mayChange = useLocked('lead') === undefined
  const query = useApi('listProjectPeople', { project_id: projectId })
  // For adding somebody.
  useApi('listAccountMembers', { account_id: account?.id ?? 0 }, { enabled: mayChange && account !== undefined })
  const remove = useWrite('removeProjectMember', ['listProjectPeople', 'listMembers', 'listAssignees'])
  return (
    <Page title="Members">
      <p className="max-w-prose text-sm text-soft">
        Owners and admins of {account?.name} are leads of every project. If the account lets members see every project, its other
        members are approvers here. Guests have access only if they are listed here.
      </p>
      <Loaded query={query}>
        {({ members }) => (
          <>
            {members.length === 0 ? (
              <Empty title="No members yet">Ask a project lead to add people from the account.</Empty>
            ) : (
              <Table
                caption="Members of the project"
                rows={members}
                keyOf={({ user_id }) => user_id}
                columns={[
                  {
                    head: 'Name',
                    cell: ({ name, email }) => <PersonName name={name} email={email} />,
                  },
                  {
                    head: 'Role',
                    cell: (member) =>
                      mayChange ? (
                        <RoleChoice member={member} projectId={projectId} />
                      ) : (
                        labelOf('project_role', member.project_role)
                      ),
                  },
                  { head: 'Since', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
                  {
                    head: 'Actions',
                    className: 'text-right',
                    cell: ({ user_id, name }) =>
                      mayChange && (
                        <Confirm
                          label="Remove"
                          title={`Remove ${name} from the project?`}
                          action="Remove"
                          look="quiet"
                          done={`${name} was removed`}
                          run={() => remove.mutateAsync({ project_id: projectId, user_id })}
                        >
                          Guests lose access to the project. Members keep it if the account lets members see every project.
                        </Confirm>
                      ),
                  },
                ]}
              />
            )}
            {mayChange && project && <Add projectId={projectId} accountId={project.account_id} listed={members} />}
          </>
        )}
      </Loaded>
    </Page>
  )
}

function RoleChoice({ member, projectId }: { member: Member; projectId: string }) {
  const set = useWrite('setProjectMember', ['listProjectPeople', 'showMe'])
  const report = useReport()
  const change = (project_role: Role) =>
    report(set.mutateAsync({ project_id: projectId, user_id: member.user_id, body: { project_role } }))
  return (
    <Filter
      label={`Role of ${member.name}`}
      options={SHORT}
      value={set.isPending ? set.variables.body.project_role : member.project_role}
      onChange={(value) => void change(value as Role)}
    />
  )
}

function Add({ projectId, accountId, listed }: { projectId: string; accountId: number; listed: Member[] }) {
  const { data } = useApi('listAccountMembers', { account_id: accountId })
  const [chosen, setChosen] = useState('')
  const [role, setRole] = useState<Role>('contributor')
  const set = useWrite('setProjectMember', ['listProjectPeople', 'listMembers', 'listAssignees'])
  const say = useToast()
  const others = data?.members.filter(({ user_id }) => !listed.some((member) => member.user_id === user_id)) ?? []
  if (others.length === 0) return null
  const user = others.find(({ user_id }) => String(user_id) === chosen) ?? others[0]!
  const submit = async () => {
    await set.mutateAsync({ project_id: projectId, user_id: user.user_id, body: { project_role: role } })
    say(`${user.name} was added`)
    setChosen('')
  }
  return (
    <Section title="Add a member">
      <Form action="Add" submit={submit}>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <Select
            label="Person"
            options={others.map(({ user_id, name }) => [String(user_id), name] as const)}
            value={String(user.user_id)}
            onChange={setChosen}
          />
          <Select label="Role" options={ROLES} value={role} onChange={(value) => setRole(value as Role)} />
        </div>
      </Form>
    </Section>
  )
}
