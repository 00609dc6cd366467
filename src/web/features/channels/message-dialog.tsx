import type { Channel } from '../../../contract/app/channels.ts'
import type { AppReply } from '../../../contract/app/routes.ts'
import { CHANNEL_KIND_TABLE } from '../../../contract/channels.ts'
import { wordsOf } from '../../api.ts'
import { useEasing } from '../../polling.ts'
import { useApi, useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Status } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useToast } from '../../ui/toast.tsx'
import { Attempts } from '../sending/attempts.tsx'

interface Props {
  channel: Channel
  messageId: number
  locked: boolean
  onClose(): void
}

type Message = AppReply<'showChannelMessage'>

/** The content of a message, all attempts, and a retry. */
export const MessageDialog = ({ onClose, ...rest }: Props) => (
  <Dialog title="Message" open onClose={onClose}>
    <Told {...rest} />
  </Dialog>
)

function Told({ channel, messageId, locked }: Omit<Props, 'onClose'>) {
  const { id, account_id } = channel
  const query = useApi('showChannelMessage', { account_id, id, message_id: messageId }, { every: useEasing(), stale: 0 })
  return (
    <Loaded query={query}>
      {(message) => (
        <div className="grid min-w-0 gap-4">
          <div className="grid gap-1">
            <div className="flex flex-wrap items-center gap-2">
              <Status of="channel_message_status" value={message.status} />
              {message.sent_at && (
                <span className="text-sm text-soft">
                  Sent <Time at={message.sent_at} />
                </span>
              )}
            </div>
            {message.says ? (
              <a href={message.says.url} className="wrap-anywhere font-medium underline">
                {message.says.title}
              </a>
            ) : (
              <p className="text-sm text-soft">The record it was about was deleted.</p>
            )}
            {message.error && <p className="wrap-anywhere text-sm text-err">{message.error}</p>}
          </div>
          <Attempts attempts={message.attempts} />
          <Again channel={channel} message={message} locked={locked} />
        </div>
      )}
    </Loaded>
  )
}

function Again({ channel: { id, account_id, kind }, message, locked }: Pick<Props, 'channel' | 'locked'> & { message: Message }) {
  const replay = useWrite('replayChannelMessage', ['listChannelMessages', 'showChannelMessage', 'listChannels'])
  const say = useToast()
  const { status } = message
  if (status === 'waiting' || status === 'sending') return null
  const isTwice = status === 'sent' && !CHANNEL_KIND_TABLE[kind].edits
  const run = () =>
    replay.mutateAsync({ account_id, id, message_id: message.id }).then(
      () => say('Message queued again'),
      () => {},
    )
  return (
    <div className="grid gap-3">
      {status === 'uncertain' && (
        <Notice kind="warn">
          The chat service didn’t confirm this message, so it wasn’t sent again automatically. Check the channel first: if you
          send it again, it may appear twice.
        </Notice>
      )}
      {isTwice && <Notice>This message was sent. If you send it again, it appears twice.</Notice>}
      {replay.error && <Notice kind="err">{wordsOf(replay.error)}</Notice>}
      <div>
        <Button disabled={locked} busy={replay.isPending} onClick={() => void run()}>
          {status === 'uncertain' ? 'Send again anyway' : 'Send again'}
        </Button>
      </div>
    </div>
  )
}
