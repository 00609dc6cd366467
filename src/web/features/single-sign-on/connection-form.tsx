import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import type { AccountSummary } from '../../../contract/app/shapes.ts'
import { ACCOUNT_ROLES, type AccountRole } from '../../../contract/sets.ts'
import { useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Checkbox, Select, TextArea, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { countOf } from '../../ui/text/count.ts'
import { useToast } from '../../ui/toast.tsx'

type Shown = AppReply<'showSingleSignOn'>

const draftOf = (connection: Shown['connection']) => ({
  issuer: connection?.issuer ?? '',
  client_id: connection?.client_id ?? '',
  client_secret: '',
  trusts_email: connection?.trusts_email ?? false,
  groups_claim: connection?.groups_claim ?? 'groups',
  groups: (connection?.role_groups ?? []).map(({ group, role }) => `${group} = ${role}`).join('\n'),
  default_role: (connection ? connection.default_role : 'member') as AccountRole | null,
  domains: (connection?.domains ?? []).join(', '),
  required: connection?.required ?? false,
})

/** `leads = owner`, a line each. */
const readGroups = (text: string) =>
  text
    .split('\n')
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const at = line.lastIndexOf('=')
      const [group, word] = [line.slice(0, at).trim(), line.slice(at + 1).trim()]
      const role = ACCOUNT_ROLES.find((one) => one === word)
      if (group === '' || !role)
        throw new Error(`“${line.trim()}” is no line of the form group = role; roles are ${ACCOUNT_ROLES.join(', ')}.`)
      return { group, role }
    })

const readDomains = (text: string) =>
  text
    .toLowerCase()
    .split(/[\s,]+/)
    .filter((domain) => domain !== '')

export function ConnectionForm({ account, shown }: { account: AccountSummary; shown: Shown }) {
  const { connection } = shown
  const [draft, setDraft] = useState(() => draftOf(connection))
  const { user } = useMe()
  const save = useWrite('setSingleSignOn', ['showSingleSignOn'])
  const say = useToast()
  const set = (change: Partial<typeof draft>) => setDraft({ ...draft, ...change })
  const submit = async () => {
    const { client_secret, groups, domains, ...rest } = draft
    await save.mutateAsync({
      account_id: account.id,
      body: {
        ...rest,
        ...(client_secret === '' ? {} : { client_secret }),
        role_groups: readGroups(groups),
        domains: readDomains(domains),
      },
    })
    say('Saved')
  }
  return (
    <Form action={connection ? 'Save' : 'Set up'} submit={submit} disabled={account.read_only !== null}>
      <fieldset disabled={account.read_only !== null} className="contents">
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            label="Issuer"
            hint="The provider’s address, as it calls itself. It is asked when you save."
            placeholder="https://login.studio.example"
            required
            spellCheck={false}
            value={draft.issuer}
            onChange={(event) => set({ issuer: event.target.value })}
          />
          <TextField
            label="Domains"
            hint={
              user.operator
                ? 'Addresses of these are the provider’s to vouch for, and no others.'
                : 'Addresses of these are the provider’s to vouch for. Whoever runs the service sets them.'
            }
            placeholder="studio.example"
            disabled={!user.operator}
            spellCheck={false}
            value={draft.domains}
            onChange={(event) => set({ domains: event.target.value })}
          />
          <TextField
            label="Client ID"
            required
            spellCheck={false}
            value={draft.client_id}
            onChange={(event) => set({ client_id: event.target.value })}
          />
          <TextField
            label="Client secret"
            type="password"
            autoComplete="off"
            hint={connection ? 'Leave it empty to keep the one that is set.' : undefined}
            required={!connection}
            value={draft.client_secret}
            onChange={(event) => set({ client_secret: event.target.value })}
          />
          <TextField
            label="Groups claim"
            hint="Where the provider names the groups of a person."
            required
            spellCheck={false}
            value={draft.groups_claim}
            onChange={(event) => set({ groups_claim: event.target.value })}
          />
          <Select
            label="Role without a group"
            hint="Of people in none of the groups below."
            options={[...ACCOUNT_ROLES.map((role) => [role, role] as const), ['', 'none: they are kept out']]}
            value={draft.default_role ?? ''}
            onChange={(event) => set({ default_role: ACCOUNT_ROLES.find((role) => role === event.target.value) ?? null })}
          />
        </div>
        <TextArea
          label="Roles by group"
          hint="One a line: group = role. The highest role wins, with every sign-in. Empty: owners give roles here."
          placeholder={'leads = owner\ncrew = member'}
          rows={4}
          spellCheck={false}
          value={draft.groups}
          onChange={(event) => set({ groups: event.target.value })}
        />
        <Checkbox
          label="Addresses are verified there"
          hint="For providers that never say so, such as Entra ID, and whose people cannot change their own address."
          checked={draft.trusts_email}
          onChange={(event) => set({ trusts_email: event.target.checked })}
        />
        <Checkbox
          label="The only way in"
          hint={hintOf(shown)}
          disabled={!shown.came_through && !draft.required}
          checked={draft.required}
          onChange={(event) => set({ required: event.target.checked })}
        />
      </fieldset>
    </Form>
  )
}

const hintOf = ({ came_through, connection, outside }: Shown) =>
  came_through || connection?.required
    ? `Passwords and passkeys of people with an address of these domains no longer work, and they are signed out. ${countOf(outside, 'member')} with another address keep theirs.`
    : 'Sign in through the provider yourself first: only then it may become the only way in.'
