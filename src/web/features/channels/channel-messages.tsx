import { useState } from 'react'
import type { Channel } from '../../../contract/app/channels.ts'
import { CHANNEL_MESSAGE_STATUSES, type MessageSubject } from '../../../contract/channels.ts'
import { choicesOf, labelOf } from '../../../contract/labels.ts'
import { LOOK_AGAIN_MS } from '../../polling.ts'
import { usePages } from '../../queries.ts'
import { useMe, useNames } from '../../session.ts'
import { Status } from '../../ui/pill.tsx'
import { Time } from '../../ui/text/time.tsx'
import { Messages } from '../sending/message-log.tsx'
import { MessageDialog } from './message-dialog.tsx'

interface Props {
  channel: Channel
  locked: boolean
}

/** The subject of a message, with its number or branch if it has one. */
const aboutOf = (subject: MessageSubject, id: string) => {
  const label = labelOf('message_subject', subject)
  if (subject === 'last_known_good') return `${label} of ${id}`
  return subject === 'task' || subject.startsWith('breakage') ? `${label} #${id}` : label
}

/** Messages to a channel. */
export function ChannelMessages({ channel, locked }: Props) {
  const { id, account_id } = channel
  const [status, setStatus] = useState('')
  const [opened, setOpened] = useState<number>()
  const { projects } = useMe()
  const nameOf = useNames()
  const query = usePages('listChannelMessages', { account_id, id, query: { status, limit: 50 } }, 'messages', {
    every: LOOK_AGAIN_MS,
  })
  return (
    <>
      <Messages
        query={query}
        status={status}
        onStatus={setStatus}
        statuses={choicesOf('channel_message_status', CHANNEL_MESSAGE_STATUSES)}
        columns={[
          { head: 'Status', cell: (row) => <Status of="channel_message_status" value={row.status} /> },
          {
            head: 'About',
            cell: ({ id, subject, subject_id, to_user_id, error }) => (
              <button type="button" onClick={() => setOpened(id)} className="grid text-left hover:underline">
                <span className="wrap-anywhere font-medium">
                  {aboutOf(subject, subject_id)}
                  {to_user_id !== null && `, direct message to ${nameOf(to_user_id)}`}
                </span>
                {error && <span className="line-clamp-2 text-xs text-soft">{error}</span>}
              </button>
            ),
          },
          {
            head: 'Project',
            wide: true,
            cell: ({ project_id }) => projects.find((one) => one.id === project_id)?.name ?? '–',
          },
          { head: 'Attempts', wide: true, cell: ({ tries }) => tries },
          { head: 'When', cell: ({ sent_at, created_at }) => <Time at={sent_at ?? created_at} /> },
        ]}
      />
      {opened !== undefined && (
        <MessageDialog channel={channel} messageId={opened} locked={locked} onClose={() => setOpened(undefined)} />
      )}
    </>
  )
}
