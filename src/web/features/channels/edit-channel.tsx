import { useState } from 'react'
import type { Channel } from '../../../contract/app/channels.ts'
import { useWrite } from '../../queries.ts'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Form } from '../../ui/form/form.tsx'
import { useToast } from '../../ui/toast.tsx'
import { type ChannelDraft, ChannelFields } from './channel-fields.tsx'

/** Only changes are sent: a new secret or room enables a broken channel again. */
export function EditChannel({ channel, onClose }: { channel: Channel; onClose(): void }) {
  const { id, account_id, kind, name, room } = channel
  const [draft, setDraft] = useState<ChannelDraft>({ name, secret: '', room })
  const edit = useWrite('editChannel', ['listChannels'])
  const say = useToast()
  const submit = async () => {
    await edit.mutateAsync({
      account_id,
      id,
      body: {
        ...(draft.name === name ? {} : { name: draft.name }),
        ...(draft.secret.trim() === '' ? {} : { secret: draft.secret }),
        ...(draft.room.trim() === room ? {} : { room: draft.room }),
      },
    })
    say('Saved')
    onClose()
  }
  return (
    <Dialog title={`Edit ${name}`} open onClose={onClose}>
      <Form action="Save" submit={submit}>
        <ChannelFields kind={kind} draft={draft} onChange={(change) => setDraft({ ...draft, ...change })} isKnown />
      </Form>
    </Dialog>
  )
}
