import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { Checkbox, TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'

/** Allowed addresses and second factor; for owners. */
export function AccountSecurity({ account }: { account: AppReply<'showAccount'> }) {
  const [required, setRequired] = useState(account.requires_second_factor)
  const known = (account.allowed_addresses ?? []).join('\n')
  const [addresses, setAddresses] = useState(known)
  const edit = useWrite('editAccountSecurity', ['showAccount', 'showMe'])
  const locked = account.read_only !== null
  const submit = async () => {
    const list = addresses.split(/[\s,]+/).filter((word) => word !== '')
    const saved = await edit.mutateAsync({
      account_id: account.id,
      body: { allowed_addresses: list, requires_second_factor: required },
    })
    setAddresses((saved.allowed_addresses ?? []).join('\n'))
  }
  return (
    <Section title="Security">
      <Form
        action="Save"
        submit={submit}
        done="Saved"
        disabled={locked || (addresses.trim() === known && required === account.requires_second_factor)}
      >
        <TextArea
          label="Allowed IP addresses"
          hint="People and tokens can connect only from these IP ranges, one per line: 203.0.113.0/24 or 2001:db8::/32. Include your own. Empty: no limit."
          rows={4}
          spellCheck={false}
          disabled={locked}
          value={addresses}
          onChange={setAddresses}
        />
        <Checkbox
          label="Require a second factor"
          hint="An authenticator app, a passkey or this account’s single sign-on. People without one can’t open the account until they add one. You need one yourself to turn this on."
          disabled={locked}
          checked={required}
          onChange={setRequired}
        />
      </Form>
    </Section>
  )
}
