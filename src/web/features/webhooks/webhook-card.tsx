import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { TERMS } from '../../../contract/labels.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Failed, Notice } from '../../ui/notice.tsx'
import { Status } from '../../ui/pill.tsx'
import { Copy } from '../../ui/text/copy.tsx'
import { agoOf } from '../../ui/text/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { DestinationControls } from '../sending/destination-controls.tsx'
import { MessageLog } from '../sending/message-log.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'
import { WebhookMessages } from './webhook-messages.tsx'

type Webhook = AppReply<'listWebhooks'>['webhooks'][number]

/** One webhook: its state, its secret, its log. */
export function WebhookCard({ webhook, locked }: { webhook: Webhook; locked: boolean }) {
  const { id, account_id, url, status, event_types, project_id, waiting, failing_since } = webhook
  const [editing, setEditing] = useState(false)
  const { projects } = useMe()
  const stopped = TERMS.subscription_status[status].description
  return (
    <article aria-label={url} className="grid min-w-0 gap-3 rounded-lg border border-line bg-panel p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h2 className="min-w-0 break-all font-mono text-sm font-medium">{url}</h2>
        <Status of="subscription_status" value={status} />
      </div>
      {stopped && <Notice kind={status === 'paused' ? 'info' : 'err'}>{stopped}</Notice>}
      {status === 'active' && failing_since && (
        <Notice kind="warn">Started failing {agoOf(failing_since)}. Pending messages are retried with growing delays.</Notice>
      )}
      <DefinitionList
        items={[
          ['Project', projects.find((one) => one.id === project_id)?.name ?? 'All'],
          ['Events', event_types.length === 0 ? 'All events of the feed' : event_types.join(', ')],
          ['Pending', waiting],
        ]}
      />
      <div className="flex flex-wrap gap-2">
        <Button disabled={locked} onClick={() => setEditing(true)}>
          Edit
        </Button>
        <Controls webhook={webhook} locked={locked} />
      </div>
      <details>
        <summary className="text-sm text-soft">Signing secret</summary>
        <Secret accountId={account_id} id={id} locked={locked} />
      </details>
      <MessageLog>
        <WebhookMessages accountId={account_id} webhookId={id} locked={locked} />
      </MessageLog>
      {editing && <WebhookDialog account={{ id: account_id }} webhook={webhook} onClose={() => setEditing(false)} />}
    </article>
  )
}

function Controls({ webhook: { id, account_id, url, status }, locked }: { webhook: Webhook; locked: boolean }) {
  const edit = useWrite('editWebhook', ['listWebhooks'])
  const remove = useWrite('removeWebhook', ['listWebhooks'])
  return (
    <DestinationControls
      noun="Webhook"
      title="Remove this webhook?"
      active={status === 'active'}
      locked={locked}
      busy={edit.isPending}
      setStatus={(status) => edit.mutateAsync({ account_id, id, body: { status } })}
      remove={() => remove.mutateAsync({ account_id, id })}
    >
      <span className="break-all">{url}</span> gets no more events. Pending messages and the log are deleted.
    </DestinationControls>
  )
}

function Secret({ accountId, id, locked }: { accountId: number; id: number; locked: boolean }) {
  const [shown, setShown] = useState(false)
  const { data, error, refetch } = useApi('showWebhookSecret', { account_id: accountId, id }, { enabled: shown, stale: 0 })
  const rotate = useWrite('rotateWebhookSecret', ['showWebhookSecret'])
  const say = useToast()
  return (
    <div className="mt-2 grid min-w-0 gap-2">
      {shown && data && <Copy value={data.secret} label="Signing secret" />}
      {shown && error && <Failed error={error} retry={() => void refetch()} />}
      <div className="flex flex-wrap gap-2">
        <Button onClick={() => setShown(!shown)}>{shown ? 'Hide' : 'Show'}</Button>
        <Confirm
          label="Replace secret"
          title="Replace the secret?"
          action="Replace secret"
          look="quiet"
          disabled={locked}
          run={async () => {
            await rotate.mutateAsync({ account_id: accountId, id })
            setShown(true)
            say('Secret replaced')
          }}
        >
          For one day, messages are signed with both secrets, so that you can switch your receiver.
        </Confirm>
      </div>
    </div>
  )
}
