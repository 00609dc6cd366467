import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import type { AccountSummary } from '../../../contract/app/shapes.ts'
import { choicesOf } from '../../../contract/labels.ts'
import { ACCOUNT_ROLES, type AccountRole } from '../../../contract/sets.ts'
import { useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Checkbox, Select, TextArea, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { countOf } from '../../ui/text/count.ts'

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
        throw new Error(`“${line.trim()}” is not in the form group = role. Roles: ${ACCOUNT_ROLES.join(', ')}.`)
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
  }
  return (
    <Form action={connection ? 'Save' : 'Set up'} submit={submit} done="Saved" disabled={account.read_only !== null}>
      <fieldset disabled={account.read_only !== null} className="contents">
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField
            label="Issuer"
            hint="The issuer URL of your provider. Goldmaster checks it when you save."
            placeholder="https://login.studio.example"
            required
            spellCheck={false}
            value={draft.issuer}
            onChange={(issuer) => set({ issuer })}
          />
          <TextField
            label="Allowed email domains"
            hint={
              user.operator
                ? 'Only addresses in these domains can sign in with this provider.'
                : 'Only addresses in these domains can sign in with this provider. The operator of this service sets them.'
            }
            placeholder="studio.example"
            disabled={!user.operator}
            spellCheck={false}
            value={draft.domains}
            onChange={(domains) => set({ domains })}
          />
          <TextField
            label="Client ID"
            required
            spellCheck={false}
            value={draft.client_id}
            onChange={(client_id) => set({ client_id })}
          />
          <TextField
            label="Client secret"
            type="password"
            autoComplete="off"
            hint={connection ? 'Leave empty to keep the saved one.' : undefined}
            required={!connection}
            value={draft.client_secret}
            onChange={(client_secret) => set({ client_secret })}
          />
          <TextField
            label="Groups claim"
            hint="The claim that lists a person’s groups."
            required
            spellCheck={false}
            value={draft.groups_claim}
            onChange={(groups_claim) => set({ groups_claim })}
          />
          <Select
            label="Default role"
            hint="For people in none of the groups below."
            options={[...choicesOf('account_role', ACCOUNT_ROLES), ['', 'None (they can’t sign in)']]}
            value={draft.default_role ?? ''}
            onChange={(value) => set({ default_role: ACCOUNT_ROLES.find((role) => role === value) ?? null })}
          />
        </div>
        <TextArea
          label="Roles by group"
          hint="One per line: group = role. The highest role applies, at every sign-in. Empty: owners set roles in Goldmaster."
          placeholder={'leads = owner\ncrew = member'}
          rows={4}
          spellCheck={false}
          value={draft.groups}
          onChange={(groups) => set({ groups })}
        />
        <Checkbox
          label="Trust email addresses of this provider"
          hint="For providers that don’t send email_verified, such as Entra ID. Turn this on only if people can’t change their own address there."
          checked={draft.trusts_email}
          onChange={(trusts_email) => set({ trusts_email })}
        />
        <Checkbox
          label="Require single sign-on"
          hint={hintOf(shown)}
          disabled={!shown.came_through && !draft.required}
          checked={draft.required}
          onChange={(required) => set({ required })}
        />
      </fieldset>
    </Form>
  )
}

const hintOf = ({ came_through, connection, outside }: Shown) =>
  came_through || connection?.required
    ? `Passwords and passkeys stop working for people with an address in these domains, and they are signed out. ${countOf(outside, 'member')} with other addresses keep theirs.`
    : 'Sign in with the provider yourself before you require it.'
