import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { DAYS_MAX } from '../../../contract/limits.ts'
import { RETENTION_KINDS, type RetentionKind } from '../../../contract/sets.ts'
import { useWrite } from '../../queries.ts'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'

const WORDS: Record<RetentionKind, [label: string, hint: string]> = {
  bodies: ['Bodies of deliveries', 'Without its body a delivery cannot be shown or replayed.'],
  deliveries: ['Delivery log', 'A delivery that a tool repeats later counts as a new one.'],
  outgoing: ['Outbound messages', 'Those that wait to be sent stay.'],
  channel_messages: ['Messages to chat channels', 'Older ones are not changed any more.'],
  notifications: ['Inboxes', "What stands in people's inboxes."],
  logs: ['Logs of builds', 'Without its log a build cannot be investigated again.'],
  investigations: ['Investigations', 'Finished ones; builds and breakages stay.'],
}

const daysOf = (text: string) => (text.trim() === '' ? null : Number(text))

/** After how many days what is deleted; for admins. */
export function AccountRetention({ account }: { account: AppReply<'showAccount'> }) {
  const { retention, retention_max } = account
  const [texts, setTexts] = useState(
    () =>
      Object.fromEntries(RETENTION_KINDS.map((kind) => [kind, String(retention[kind] ?? '')])) as Record<RetentionKind, string>,
  )
  const edit = useWrite('editAccount', ['showAccount'])
  const say = useToast()
  const locked = account.read_only !== null
  const changed = RETENTION_KINDS.filter((kind) => daysOf(texts[kind]) !== retention[kind])
  const submit = async () => {
    const days = Object.fromEntries(changed.map((kind) => [kind, daysOf(texts[kind])]))
    await edit.mutateAsync({ account_id: account.id, body: { retention: days } })
    say('Saved')
  }
  return (
    <Section title="Retention">
      <p className="max-w-prose text-sm text-soft">
        After how many days what is deleted, every hour and for good. Empty: when this service deletes it.
      </p>
      <Form action="Save" submit={submit} disabled={locked || changed.length === 0}>
        <div className="grid items-start gap-4 sm:grid-cols-2 lg:grid-cols-3">
          {RETENTION_KINDS.map((kind) => (
            <TextField
              key={kind}
              label={`${WORDS[kind][0]} (days)`}
              hint={WORDS[kind][1]}
              type="number"
              min={1}
              max={retention_max[kind] ?? DAYS_MAX}
              placeholder={retention_max[kind] === null ? 'for good' : String(retention_max[kind])}
              disabled={locked}
              value={texts[kind]}
              onChange={(event) => setTexts({ ...texts, [kind]: event.target.value })}
            />
          ))}
        </div>
      </Form>
    </Section>
  )
}
