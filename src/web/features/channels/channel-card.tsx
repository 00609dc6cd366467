import { useState } from 'react'
import type { Channel } from '../../../contract/app/channels.ts'
import type { AccountSummary } from '../../../contract/app/shapes.ts'
import { CHANNEL_KIND_TABLE } from '../../../contract/channels.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Status } from '../../ui/pill.tsx'
import { countOf } from '../../ui/text/count.ts'
import { agoOf } from '../../ui/text/time.tsx'
import { DestinationControls } from '../sending/destination-controls.tsx'
import { MessageLog } from '../sending/message-log.tsx'
import { ChannelMessages } from './channel-messages.tsx'
import { ChannelRules } from './channel-rules.tsx'
import { ChannelTest } from './channel-test.tsx'
import { EditChannel } from './edit-channel.tsx'

/** One channel: its state, its rules, a test, its log. */
export function ChannelCard({ channel, account }: { channel: Channel; account: AccountSummary }) {
  const { kind, name, room, status, waiting } = channel
  const [editing, setEditing] = useState(false)
  const locked = account.read_only !== null
  return (
    <article aria-label={name} className="grid min-w-0 gap-3 rounded-lg border border-line bg-panel p-4">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <div className="min-w-0">
          <h2 className="wrap-anywhere font-semibold">{name}</h2>
          <p className="text-sm text-soft">
            {CHANNEL_KIND_TABLE[kind].label}
            {room && (
              <>
                {' · '}
                <code className="font-mono text-xs">{room}</code>
              </>
            )}
            {waiting > 0 && ` · ${countOf(waiting, 'message')} pending`}
          </p>
        </div>
        <Status of="channel_status" value={status} />
      </div>
      <Trouble channel={channel} />
      <ChannelRules channel={channel} account={account} locked={locked} />
      <div className="flex flex-wrap items-start gap-2">
        <ChannelTest channel={channel} locked={locked} />
        <Button disabled={locked} onClick={() => setEditing(true)}>
          Edit
        </Button>
        <Controls channel={channel} locked={locked} />
      </div>
      <MessageLog>
        <ChannelMessages channel={channel} locked={locked} />
      </MessageLog>
      {editing && <EditChannel channel={channel} onClose={() => setEditing(false)} />}
    </article>
  )
}

function Trouble({ channel: { status, trouble, failing_since, waiting } }: { channel: Channel }) {
  if (status === 'paused')
    return (
      <Notice>
        Paused. New events are not sent to this channel. Messages that were already pending are sent after you resume it.
      </Notice>
    )
  if (status === 'broken')
    return (
      <Notice kind="err">
        <p className="font-medium">Disabled, because messages can’t be posted there anymore.</p>
        <p className="wrap-anywhere">{trouble}</p>
        <p>
          Fix the problem, then select Edit to enter a new secret or room, or select Resume.
          {waiting > 0 && ' Pending messages are sent then.'}
        </p>
      </Notice>
    )
  if (failing_since)
    return <Notice kind="warn">Started failing {agoOf(failing_since)}. Pending messages are retried with growing delays.</Notice>
  return null
}

function Controls({ channel: { id, account_id, name, status }, locked }: { channel: Channel; locked: boolean }) {
  const edit = useWrite('editChannel', ['listChannels'])
  const remove = useWrite('removeChannel', ['listChannels'])
  return (
    <DestinationControls
      noun="Channel"
      title={`Remove ${name}?`}
      active={status === 'active'}
      locked={locked}
      busy={edit.isPending}
      setStatus={(status) => edit.mutateAsync({ account_id, id, body: { status } })}
      remove={() => remove.mutateAsync({ account_id, id })}
    >
      The channel gets no more messages. Its secret, rules and log are deleted. Posted messages stay in the chat.
    </DestinationControls>
  )
}
