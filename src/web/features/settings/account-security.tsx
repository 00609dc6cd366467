import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf } from '../../../contract/labels.ts'
import { SHARE_DAYS_MAX } from '../../../contract/limits.ts'
import { SHARE_POLICIES, type SharePolicy } from '../../../contract/sets.ts'
import { useWrite } from '../../queries.ts'
import { Checkbox, Select, TextArea, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'

/** Allowed addresses, second factor and share links; for owners. */
export function AccountSecurity({ account }: { account: AppReply<'showAccount'> }) {
  const [required, setRequired] = useState(account.requires_second_factor)
  const known = (account.allowed_addresses ?? []).join('\n')
  const [addresses, setAddresses] = useState(known)
  const [policy, setPolicy] = useState<SharePolicy>(account.share_policy)
  const [days, setDays] = useState(String(account.share_days_max))
  const [anywhere, setAnywhere] = useState(account.share_anywhere)
  const edit = useWrite('editAccountSecurity', ['showAccount', 'showMe'])
  const locked = account.read_only !== null
  const submit = async () => {
    const list = addresses.split(/[\s,]+/).filter((word) => word !== '')
    const saved = await edit.mutateAsync({
      account_id: account.id,
      body: {
        allowed_addresses: list,
        requires_second_factor: required,
        share_policy: policy,
        share_days_max: Number(days),
        share_anywhere: anywhere,
      },
    })
    setAddresses((saved.allowed_addresses ?? []).join('\n'))
  }
  return (
    <Section title="Security">
      <Form
        action="Save"
        submit={submit}
        done="Saved"
        disabled={
          locked ||
          days.trim() === '' ||
          (addresses.trim() === known &&
            required === account.requires_second_factor &&
            policy === account.share_policy &&
            Number(days) === account.share_days_max &&
            anywhere === account.share_anywhere)
        }
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
        <Select
          label="Who can share artifacts"
          hint="A share link downloads one artifact without signing in. Links that are no longer allowed stop working."
          disabled={locked}
          value={policy}
          onChange={(value) => setPolicy(value as SharePolicy)}
          options={SHARE_POLICIES.map((value) => [value, labelOf('share_policy', value)] as const)}
        />
        <TextField
          label="Maximum age of share links (days)"
          type="number"
          min={1}
          max={SHARE_DAYS_MAX}
          required
          disabled={locked}
          value={days}
          onChange={setDays}
        />
        <Checkbox
          label="Share links work from any address"
          hint="If off, the allowed IP addresses apply to share links too."
          disabled={locked}
          checked={anywhere}
          onChange={setAnywhere}
        />
      </Form>
    </Section>
  )
}
