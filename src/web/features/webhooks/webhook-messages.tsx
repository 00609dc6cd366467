import { useState } from 'react'
import { WEBHOOK_MESSAGE_STATUSES } from '../../../contract/sets.ts'
import { wordsOf } from '../../api.ts'
import { LOOK_AGAIN_MS, useEasing } from '../../polling.ts'
import { useApi, usePages, useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Status } from '../../ui/pill.tsx'
import { CodeBlock } from '../../ui/text/code-block.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Attempts } from '../sending/attempts.tsx'
import { Messages } from '../sending/message-log.tsx'

interface Props {
  accountId: number
  webhookId: number
  locked: boolean
}

/** Messages to a webhook. */
export function WebhookMessages({ accountId, webhookId, locked }: Props) {
  const [status, setStatus] = useState('')
  const [opened, setOpened] = useState<string>()
  const args = { account_id: accountId, id: webhookId, query: { status, limit: 50 } }
  const query = usePages('listOutgoing', args, 'deliveries', { every: LOOK_AGAIN_MS })
  return (
    <>
      <Messages
        query={query}
        status={status}
        onStatus={setStatus}
        statuses={WEBHOOK_MESSAGE_STATUSES.map((value) => [value, value] as const)}
        columns={[
          { head: 'Status', cell: (row) => <Status of="outgoing_status" value={row.status} /> },
          {
            head: 'Event',
            cell: ({ id, event_type, error }) => (
              <button type="button" onClick={() => setOpened(id)} className="grid text-left hover:underline">
                <span className="break-all font-medium">{event_type}</span>
                {error && <span className="line-clamp-2 text-xs text-soft">{error}</span>}
              </button>
            ),
          },
          { head: 'Response', wide: true, cell: ({ answer }) => answer ?? '–' },
          { head: 'Attempts', wide: true, cell: ({ tries }) => tries },
          {
            head: 'When',
            cell: ({ created_at, next_at }) => (
              <div className="grid">
                <Time at={created_at} />
                {next_at && (
                  <span className="text-xs text-soft">
                    next <Time at={next_at} />
                  </span>
                )}
              </div>
            ),
          },
        ]}
      />
      {opened && <Message {...{ accountId, webhookId, locked }} id={opened} onClose={() => setOpened(undefined)} />}
    </>
  )
}

/** The payload, all attempts, and a replay. */
const Message = ({ onClose, ...rest }: Props & { id: string; onClose(): void }) => (
  <Dialog title="Message" open onClose={onClose}>
    <Sent {...rest} />
  </Dialog>
)

function Sent({ accountId, webhookId, locked, id }: Props & { id: string }) {
  const replay = useWrite('replayOutgoing', ['listOutgoing', 'showOutgoing', 'listWebhooks'])
  const every = useEasing(replay.submittedAt)
  const query = useApi('showOutgoing', { account_id: accountId, id: webhookId, message_id: id }, { every })
  const say = useToast()
  const run = () =>
    replay.mutateAsync({ account_id: accountId, id: webhookId, message_id: id }).then(
      () => say('Message queued again'),
      () => {},
    )
  return (
    <Loaded query={query}>
      {({ payload, attempts }) => (
        <div className="grid min-w-0 gap-4">
          <div className="flex flex-wrap items-center gap-3">
            <Button disabled={locked} busy={replay.isPending} onClick={() => void run()}>
              Replay
            </Button>
            <code className="break-all font-mono text-xs text-soft">{id}</code>
          </div>
          {replay.error && <Notice kind="err">{wordsOf(replay.error)}</Notice>}
          <Attempts attempts={attempts} />
          <CodeBlock code={JSON.stringify(payload, null, 2)} label="Payload" tall />
        </div>
      )}
    </Loaded>
  )
}
