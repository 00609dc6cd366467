import { useState } from 'react'
import type { AccountSummary } from '../../../contract/app/shapes.ts'
import { CHANNEL_KIND_TABLE, type ChannelKind } from '../../../contract/channels.ts'
import { CHANNEL_RULES_MAX } from '../../../contract/limits.ts'
import { useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Select } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type ChannelDraft, ChannelFields } from './channel-fields.tsx'
import { GUIDES, KIND_OPTIONS } from './channel-kinds.ts'
import { newRule } from './rule-words.ts'

const ALL = 'all'

export function NewChannel({ account, onClose }: { account: AccountSummary; onClose(): void }) {
  const [kind, setKind] = useState<ChannelKind>('slack')
  const [draft, setDraft] = useState<ChannelDraft>({ name: '', secret: '', room: '' })
  const projects = useMe().projects.filter(({ account_id }) => account_id === account.id)
  const [scope, setScope] = useState(projects.length > CHANNEL_RULES_MAX ? String(projects[0]!.id) : ALL)
  const create = useWrite('createChannel', ['listChannels'])
  const say = useToast()
  const submit = async () => {
    const chosen = projects.filter(({ id }) => scope === ALL || scope === String(id))
    const { room, ...rest } = draft
    await create.mutateAsync({
      account_id: account.id,
      body: {
        kind,
        ...rest,
        rules: chosen.map(({ id }) => newRule(id)),
        ...(CHANNEL_KIND_TABLE[kind].secret === 'token' ? { room } : {}),
      },
    })
    say('Channel created. Send a test message to check it.')
    onClose()
  }
  return (
    <Dialog title="New channel" open onClose={onClose}>
      <Form action="Create channel" submit={submit}>
        <Select label="Chat service" options={KIND_OPTIONS} value={kind} onChange={(value) => setKind(value as ChannelKind)} />
        <Guide kind={kind} />
        <ChannelFields kind={kind} draft={draft} onChange={(change) => setDraft({ ...draft, ...change })} />
        <Select
          label="Breakages of"
          hint="You can add and change rules later."
          options={[
            ...(projects.length > 0 && projects.length <= CHANNEL_RULES_MAX ? [[ALL, 'All projects'] as const] : []),
            ...projects.map(({ id, name }) => [String(id), name] as const),
            ['', 'No project (add rules later)'],
          ]}
          value={scope}
          onChange={setScope}
        />
      </Form>
    </Dialog>
  )
}

const Guide = ({ kind }: { kind: ChannelKind }) => (
  <div className="grid gap-2 rounded-md bg-canvas p-3 text-sm">
    <ol className="grid list-decimal gap-1 pl-5">
      {GUIDES[kind].steps.map((step) => (
        <li key={step} className="wrap-anywhere">
          {step}
        </li>
      ))}
    </ol>
    <p className="text-soft">{GUIDES[kind].note}</p>
  </div>
)
