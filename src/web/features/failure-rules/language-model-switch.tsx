import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { Checkbox } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'

/** Whether evidence may be sent to a language model; for owners and admins. */
export function LanguageModelSwitch({ account }: { account: AppReply<'showAccount'> }) {
  const [isOn, setOn] = useState(account.uses_language_model)
  const edit = useWrite('editAccount', ['showAccount'])
  const locked = account.read_only !== null
  const submit = () => edit.mutateAsync({ account_id: account.id, body: { uses_language_model: isOn } })
  return (
    <Section title="Language model">
      <Form action="Save" submit={submit} done="Saved" disabled={locked || isOn === account.uses_language_model}>
        <Checkbox
          label="Reword diagnoses with a language model"
          hint="If your operator connected one, it gets the redacted evidence lines of each investigation. When off, nothing is sent and diagnoses keep their built-in wording."
          disabled={locked}
          checked={isOn}
          onChange={setOn}
        />
      </Form>
    </Section>
  )
}
