import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import type { AccountSummary } from '../../../contract/app/shapes.ts'
import { EVENT_TYPES, EVENTS, type EventType, isChosen } from '../../../contract/events.ts'
import { URL_MAX } from '../../../contract/limits.ts'
import { useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Checkbox, Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Copy } from '../../ui/text/copy.tsx'
import { useToast } from '../../ui/toast.tsx'

interface Props {
  account: Pick<AccountSummary, 'id'>
  /** The webhook to edit; otherwise a new one is created. */
  webhook?: AppReply<'listWebhooks'>['webhooks'][number]
  onClose(): void
}

export function WebhookDialog({ account, webhook, onClose }: Props) {
  const [secret, setSecret] = useState<string>()
  const title = secret ? 'Your signing secret' : webhook ? 'Edit webhook' : 'New webhook'
  return (
    <Dialog title={title} open onClose={onClose}>
      {secret ? (
        <div className="grid gap-4">
          <Notice kind="ok">Webhook created. New events are sent to this URL.</Notice>
          <p className="text-sm text-soft">
            Every message is signed with this secret (Standard Webhooks), so that your receiver can verify it. You can show the
            secret again later.
          </p>
          <Copy value={secret} label="Signing secret" />
          <div>
            <Button look="main" onClick={onClose}>
              Done
            </Button>
          </div>
        </div>
      ) : (
        <Fields account={account} {...(webhook ? { webhook } : {})} onClose={onClose} onMade={setSecret} />
      )}
    </Dialog>
  )
}

function Fields({ account, webhook, onClose, onMade }: Props & { onMade(secret: string): void }) {
  const { projects } = useMe()
  const [url, setUrl, clear] = useDraft(`webhook ${webhook?.id ?? 'new'}`, webhook?.url ?? '')
  const [types, setTypes] = useState<string[]>(webhook?.event_types ?? [])
  const [project, setProject] = useState(String(webhook?.project_id ?? ''))
  const create = useWrite('createWebhook', ['listWebhooks'])
  const edit = useWrite('editWebhook', ['listWebhooks'])
  const say = useToast()
  const submit = async () => {
    const body = { url: url.trim(), event_types: types, project_id: project ? Number(project) : null }
    if (webhook) {
      await edit.mutateAsync({ account_id: account.id, id: webhook.id, body })
      say('Saved')
    }
    const made = webhook ? undefined : await create.mutateAsync({ account_id: account.id, body })
    clear()
    if (made) onMade(made.secret)
    else onClose()
  }
  const covers = (type: EventType) => types.length > 0 && isChosen(types, type)
  return (
    <Form action={webhook ? 'Save' : 'Create webhook'} submit={submit} disabled={url.trim() === ''}>
      <TextField
        label="URL"
        type="url"
        hint="https:// or http://. The operator must allow private addresses."
        placeholder="https://example.com/goldmaster"
        required
        maxLength={URL_MAX}
        value={url}
        onChange={setUrl}
      />
      <Select
        label="Project"
        options={[
          ['', 'All projects'],
          ...projects.filter((one) => one.account_id === account.id).map(({ id, name }) => [String(id), name] as const),
        ]}
        value={project}
        onChange={setProject}
      />
      <fieldset className="grid gap-2">
        <legend className="mb-2 text-sm font-medium">
          Events <span className="font-normal text-soft">(none selected: all events of the feed)</span>
        </legend>
        {EVENT_TYPES.map((type) => (
          <Checkbox
            key={type}
            label={type}
            hint={EVENTS[type].label}
            checked={covers(type)}
            onChange={(isChecked) => setTypes(EVENT_TYPES.filter((one) => (one === type ? isChecked : covers(one))))}
          />
        ))}
      </fieldset>
    </Form>
  )
}
