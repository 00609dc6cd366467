import { useState } from 'react'
import { LOOK_AGAIN_MS } from '../../polling.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useLocked, useMay } from '../../session.ts'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Checkbox, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { countOf } from '../../ui/text/count.ts'
import { Time } from '../../ui/text/time.tsx'

/** The audit stream: owners configure it, admins see its progress. */
export function AuditStream({ accountId }: { accountId: number }) {
  const query = useApi('showAuditStream', { account_id: accountId }, { every: LOOK_AGAIN_MS })
  const remove = useWrite('removeAuditStream', ['showAuditStream', 'listAuditLog'])
  const owner = useMay('owner')
  const locked = useLocked('owner') !== undefined
  return (
    <Section title="Log streaming">
      <Loaded query={query}>
        {({ stream }) => (
          <>
            {stream === null && (
              <p className="text-sm text-soft">
                The audit log is not streamed to another server.{owner ? '' : ' Owners can set this up.'}
              </p>
            )}
            {stream && (
              <p className="text-sm">
                Sent to <code className="break-all text-xs">{stream.url}</code>, up to entry {stream.position};{' '}
                {stream.waiting === 0 ? 'up to date.' : `${countOf(stream.waiting, 'entry', 'entries')} pending.`}
              </p>
            )}
            {stream?.failing_since && (
              <Notice kind="err">
                Failing since <Time at={stream.failing_since} />: {stream.error}. It is retried until it works, and continues
                where it stopped
                {isAhead(stream.next_at) && (
                  <>
                    {' '}
                    (next attempt <Time at={stream.next_at} />)
                  </>
                )}
                .
              </Notice>
            )}
            {owner && !locked && (
              <details key={stream?.updated_at}>
                <summary className="text-sm">{stream ? 'Edit' : 'Set up streaming'}</summary>
                <div className="mt-4">
                  <Settings accountId={accountId} url={stream?.url ?? ''} />
                </div>
              </details>
            )}
            {owner && !locked && stream && (
              <div>
                <Confirm
                  label="Stop"
                  title="Stop streaming?"
                  action="Stop streaming"
                  look="quiet"
                  done="Streaming stopped"
                  run={() => remove.mutateAsync({ account_id: accountId })}
                >
                  New entries are no longer sent to the server. The audit log records that you stopped it.
                </Confirm>
              </div>
            )}
          </>
        )}
      </Loaded>
    </Section>
  )
}

/** A time in the past says nothing about what comes next. */
const isAhead = (at: string) => Date.parse(at) > Date.now()

function Settings({ accountId, url: known }: { accountId: number; url: string }) {
  const [url, setUrl] = useState(known)
  const [secret, setSecret] = useState('')
  const [from_beginning, setBeginning] = useState(false)
  const set = useWrite('setAuditStream', ['showAuditStream', 'listAuditLog'])
  const submit = () =>
    set.mutateAsync({ account_id: accountId, body: { url, from_beginning, ...(secret === '' ? {} : { secret }) } })
  return (
    <Form action="Save" submit={submit} done="Saved" disabled={url === '' || (url === known && secret === '' && !from_beginning)}>
      <TextField
        label="URL"
        hint="syslog+tls://, syslog+tcp:// or syslog+udp:// for a syslog server; https:// for JSON lines."
        placeholder="syslog+tls://siem.studio.example:6514"
        spellCheck={false}
        value={url}
        onChange={setUrl}
      />
      {url.startsWith('http') && (
        <TextField
          label="Secret"
          hint="Sent as a bearer token. If it starts with whsec_, it signs each message instead. Leave empty to keep the current one."
          type="password"
          autoComplete="off"
          value={secret}
          onChange={setSecret}
        />
      )}
      <Checkbox
        label="Send all existing entries"
        hint="If off, only new entries are sent, or streaming continues where it is."
        checked={from_beginning}
        onChange={setBeginning}
      />
    </Form>
  )
}
