import { useQuery } from '@tanstack/react-query'
import { Link, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import { NOTIFICATION_KINDS, type NotificationKind } from '../../../contract/channels.ts'
import { ask, unsubscribe, wordsOf } from '../../api.ts'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { OutsideFrame } from '../sign-in/outside-frame.tsx'

const whatOf = (kind: string) => (kind === 'digest' ? 'The daily digest' : `“${NOTIFICATION_KINDS[kind as NotificationKind]}”`)

/** The page of an unsubscribe link. Opening it stops nothing: scanners open links too. */
export default function Unsubscribe() {
  const { token = '' } = useSearch({ strict: false }) as { token?: string }
  const [isDone, setDone] = useState(false)
  const { data, error } = useQuery({
    queryKey: ['showUnsubscribe', token],
    queryFn: () => ask('showUnsubscribe', { query: { token } }),
    retry: false,
  })
  const stop = async () => {
    await unsubscribe(token)
    setDone(true)
  }
  return (
    <OutsideFrame
      title="Stop these emails"
      below={
        <Link to="/settings/notifications" className="underline">
          Notification settings
        </Link>
      }
    >
      {error && <Notice kind="err">This link is incomplete. Open it from the email again. ({wordsOf(error)})</Notice>}
      {data && isDone && <Notice kind="ok">Done. {whatOf(data.kind)} is no longer emailed to you.</Notice>}
      {data && !isDone && (
        <Form action="Stop these emails" submit={stop}>
          <p className="text-sm">
            {whatOf(data.kind)} is emailed to you. You can turn it on again in your notification settings.
          </p>
        </Form>
      )}
    </OutsideFrame>
  )
}
