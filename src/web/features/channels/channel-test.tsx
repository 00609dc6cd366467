import { useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import type { Channel } from '../../../contract/app/channels.ts'
import type { ChannelMessageStatus } from '../../../contract/channels.ts'
import { wordsOf } from '../../api.ts'
import { useEasing } from '../../polling.ts'
import { refresh, useApi, useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Notice } from '../../ui/notice.tsx'

interface Props {
  channel: Channel
  locked: boolean
}

/** Sends a message like all others and shows the result. */
export function ChannelTest({ channel: { id, account_id, status }, locked }: Props) {
  const [messageId, setMessageId] = useState<number>()
  const send = useWrite('testChannel')
  const run = () =>
    send.mutateAsync({ account_id, id }).then(
      (message) => setMessageId(message.id),
      () => setMessageId(undefined),
    )
  return (
    <>
      <Button disabled={locked || status !== 'active'} busy={send.isPending} onClick={() => void run()}>
        Send test message
      </Button>
      {send.error && <Said kind="err">{wordsOf(send.error)}</Said>}
      {messageId !== undefined && <Outcome key={messageId} accountId={account_id} channelId={id} messageId={messageId} />}
    </>
  )
}

const ENDED: readonly ChannelMessageStatus[] = ['sent', 'failed', 'uncertain', 'skipped']

function Outcome({ accountId, channelId, messageId }: { accountId: number; channelId: number; messageId: number }) {
  const [isOver, setOver] = useState(false)
  const client = useQueryClient()
  const easing = useEasing()
  const { data, error } = useApi(
    'showChannelMessage',
    { account_id: accountId, id: channelId, message_id: messageId },
    { every: isOver ? false : easing, stale: 0 },
  )
  const { status, error: trouble } = data ?? {}
  // The card of the channel and its log depend on it.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs with every result
  useEffect(() => {
    if (status && ENDED.includes(status)) setOver(true)
    void refresh(client, ['listChannels', 'listChannelMessages'])
  }, [client, status, trouble])
  if (error) return <Said kind="err">{wordsOf(error)}</Said>
  switch (data?.status) {
    case 'sent':
      return <Said kind="ok">Test message sent. Check the channel.</Said>
    case 'failed':
      return <Said kind="err">The test message was refused. {data.error}</Said>
    case 'uncertain':
      return <Said kind="warn">Goldmaster can’t tell whether the test message arrived. Check the channel. {data.error}</Said>
    default:
      return (
        <Said kind={data?.error ? 'warn' : 'info'}>
          {data?.error ? `Not sent yet. Retrying: ${data.error}` : 'Sending the test message…'}
        </Said>
      )
  }
}

/** Above the buttons, full width. */
const Said = ({ kind, children }: { kind: 'ok' | 'err' | 'warn' | 'info'; children: ReactNode }) => (
  <div className="wrap-anywhere order-first w-full">
    <Notice kind={kind}>{children}</Notice>
  </div>
)
