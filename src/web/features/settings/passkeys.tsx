import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { NAME_MAX } from '../../../contract/limits.ts'
import { ask } from '../../api.ts'
import { useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Confirm } from '../../ui/form/confirm.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'
import { hasPasskeys, makePasskey, passkeyWords } from '../sign-in/passkey.ts'

type Passkey = AppReply<'showSignIn'>['passkeys'][number]

/** Keys of a device or a password manager that sign in without a password. */
export function Passkeys({ passkeys }: { passkeys: Passkey[] }) {
  return (
    <Section title="Passkeys">
      <p className="max-w-prose text-sm text-soft">
        A passkey is stored on your device or in your password manager and unlocked with your fingerprint, face or PIN. It signs
        you in without a password or code.
      </p>
      {passkeys.length > 0 && (
        <Table
          caption="Passkeys"
          rows={passkeys}
          keyOf={({ id }) => id}
          columns={[
            { head: 'Name', cell: ({ name }) => <span className="wrap-anywhere font-medium">{name}</span> },
            { head: 'Added', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
            { head: 'Last used', cell: ({ last_used_at }) => (last_used_at ? <Time at={last_used_at} /> : 'never') },
            { head: 'Actions', className: 'text-right', cell: (passkey) => <Remove passkey={passkey} /> },
          ]}
        />
      )}
      {hasPasskeys() ? <Add /> : <Notice>Passkeys work only over HTTPS. Open this service with an https:// URL.</Notice>}
    </Section>
  )
}

function Add() {
  const [name, setName] = useState('')
  const { user } = useMe()
  const add = useWrite('addPasskey', ['showSignIn'])
  const submit = async () => {
    const question = await ask('startPasskey', {})
    const made = await makePasskey(question, user.email).catch((error: unknown) => {
      throw passkeyWords(error)
    })
    await add.mutateAsync({ body: { name, ...made } })
    setName('')
  }
  return (
    <Form action="Add passkey" submit={submit} done="Passkey added" disabled={name.trim() === ''}>
      <TextField
        label="Name"
        hint="The device or password manager that stores it."
        placeholder="Work laptop"
        maxLength={NAME_MAX}
        value={name}
        onChange={setName}
      />
    </Form>
  )
}

function Remove({ passkey: { id, name } }: { passkey: Passkey }) {
  const remove = useWrite('removePasskey', ['showSignIn'])
  return (
    <Confirm label="Remove" title={`Remove ${name}?`} action="Remove it" look="quiet" run={() => remove.mutateAsync({ id })}>
      You can’t sign in with it anymore. Remove it on the device as well.
    </Confirm>
  )
}
