import type { AppReply } from '../../../contract/app/routes.ts'
import { notFound } from '../../../contract/errors.ts'
import { LOOK_AGAIN_MS } from '../../polling.ts'
import { usePages } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { PageError } from '../../ui/page-error.tsx'
import { Pill } from '../../ui/pill.tsx'
import { forDays } from '../../ui/text/days.ts'
import { Time } from '../../ui/text/time.tsx'
import { withoutKeys } from '../../ui/without-keys.ts'

type Mail = AppReply<'listMails'>['mails'][number]

/** The operator's outbox: without a mail server, links to verify, reset and join are found here. */
export default function SettingsMails() {
  const { user } = useMe()
  const query = usePages('listMails', {}, 'mails', { enabled: user.operator, every: LOOK_AGAIN_MS })
  if (!user.operator) return <PageError error={notFound('Page')} />
  const mails = query.items
  return (
    <Page title="Emails">
      {query.first?.smtp === false && (
        <Notice>
          No mail server is configured, so no email is sent. Pass on the links below yourself, or set{' '}
          <code className="font-mono text-xs">SMTP_URL</code> and restart the service.
        </Notice>
      )}
      <InfiniteList
        query={query}
        empty={
          <Empty title="No emails yet">
            Invitations, confirmations, password resets and token notices appear here {forDays(query.first?.kept_days ?? null)}.
          </Empty>
        }
      >
        <ul className="grid overflow-hidden rounded-lg border border-line bg-panel">
          {mails.map((mail) => (
            <Letter key={mail.id} mail={mail} />
          ))}
        </ul>
      </InfiniteList>
    </Page>
  )
}

const Letter = ({ mail: { to, subject, text, error, created_at, sent_at } }: { mail: Mail }) => (
  <li className="border-b border-line last:border-0">
    <details>
      <summary className="flex flex-wrap items-baseline gap-x-3 gap-y-1 px-3 py-2 text-sm hover:bg-hover/60">
        {sent_at ? <Pill kind="ok">Sent</Pill> : error ? <Pill kind="err">Failed</Pill> : <Pill kind="warn">Pending</Pill>}
        <span className="min-w-0 flex-1 basis-60 font-medium">{subject}</span>
        <span className="text-xs text-soft">
          <span className="break-all">{to}</span> · <Time at={created_at} />
        </span>
      </summary>
      <div className="grid gap-3 border-t border-line bg-canvas p-4">
        {error && <Notice kind="err">{error}</Notice>}
        <div className="whitespace-pre-wrap break-words text-sm">{linked(text)}</div>
      </div>
    </details>
  </li>
)

const LINK = /(https?:\/\/[^\s<>"]+)/

/** Its URLs become links. */
const linked = (text: string) => withoutKeys(text.split(LINK).map(pieceOf))

const pieceOf = (part: string) =>
  part.startsWith('http') ? (
    <a href={part} className="break-all underline">
      {part}
    </a>
  ) : (
    part
  )
