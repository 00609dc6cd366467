import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { wordsOf } from '../../api.ts'
import { useProviderLabel } from '../../providers.ts'
import { useApi, usePages, useWrite } from '../../queries.ts'
import { useAccount, useMay, useMe, useNames } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { DateFields, endOf, SearchField, startOf } from '../../ui/form/search-field.tsx'
import { InfiniteList } from '../../ui/infinite-list.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { countOf } from '../../ui/text/count.ts'
import { Time } from '../../ui/text/time.tsx'
import { useReport } from '../../ui/toast.tsx'
import { AccountChoice } from './account-choice.tsx'
import type { AuditNames } from './audit-actions.ts'
import { type AuditFilter, saveAuditLog } from './audit-file.ts'
import { AUDIT_SUGGESTIONS, auditSentence } from './audit-sentences.ts'
import { AuditStream } from './audit-stream.tsx'

type Entry = AppReply<'listAuditLog'>['entries'][number]

/** The audit log of the account; for its owners and admins. */
export default function SettingsAudit() {
  const account = useAccount()
  const admin = useMay('admin')
  const names = useAuditNames()
  const verify = useWrite('verifyAuditLog', [])
  const [asked, setAsked] = useState({ action: '', who: '', since: '', until: '' })
  const narrow = (more: Partial<typeof asked>) => setAsked((asked) => ({ ...asked, ...more }))
  const filter: AuditFilter = {
    action: asked.action || undefined,
    user_id: asked.who === '' ? undefined : Number(asked.who),
    since: startOf(asked.since),
    until: endOf(asked.until),
  }
  const query = usePages('listAuditLog', { account_id: account?.id ?? 0, query: filter }, 'entries', {
    enabled: account !== undefined && admin,
  })
  const people = useApi(
    'listAccountMembers',
    { account_id: account?.id ?? 0 },
    { enabled: account !== undefined && admin, stale: 300_000 },
  )
  if (!admin) return <Notice>Only owners and admins can see the audit log.</Notice>
  const entries = query.items
  const isNarrow = Object.values(asked).some((value) => value !== '')
  return (
    <Page title="Audit log" actions={<AccountChoice />}>
      <p className="max-w-prose text-sm text-soft">
        Sign-ins, and changes to access, settings, integrations and decisions. Entries can’t be edited or deleted. Each is chained
        to the one before it: Verify finds entries that were changed or removed in the database.
      </p>
      {account && <AuditStream accountId={account.id} />}
      <div className="flex flex-wrap items-center gap-2">
        <SearchField
          label="Action"
          suggestions={AUDIT_SUGGESTIONS}
          value={asked.action}
          onChange={(action) => narrow({ action })}
          className="w-52"
        />
        <Filter
          label="Who"
          options={[
            ['', 'Anybody'],
            ...(people.data?.members ?? []).map(({ user_id, name }) => [String(user_id), name] as const),
          ]}
          value={asked.who}
          onChange={(who) => narrow({ who })}
        />
        <DateFields since={asked.since} until={asked.until} onChange={narrow} />
        {account && (
          <span className="ml-auto flex flex-wrap gap-2">
            <Save accountId={account.id} filter={filter} kind="json" />
            <Save accountId={account.id} filter={filter} kind="csv" />
            <Button busy={verify.isPending} onClick={() => verify.mutate({ account_id: account.id })}>
              Verify
            </Button>
          </span>
        )}
      </div>
      <Verdict data={verify.data} error={verify.error} />
      <InfiniteList
        query={query}
        empty={
          <Empty title="No entries">{isNarrow ? 'No entry matches your filters.' : 'Changes to the account appear here.'}</Empty>
        }
      >
        <Table
          caption="Changes"
          rows={entries}
          keyOf={({ id }) => id}
          columns={[
            { head: 'When', cell: ({ at }) => <Time at={at} /> },
            { head: 'Change', cell: (entry) => <Told entry={entry} names={names} /> },
            { head: 'IP address', wide: true, cell: ({ ip_address }) => ip_address ?? '' },
          ]}
        />
      </InfiniteList>
    </Page>
  )
}

function useAuditNames(): AuditNames {
  const user = useNames()
  const provider = useProviderLabel()
  const { projects } = useMe()
  return { user, provider, project: (id) => projects.find((one) => one.id === id)?.name ?? 'a deleted project' }
}

/** The entry as a sentence; its stored fields on demand. */
const Told = ({ entry, names }: { entry: Entry; names: AuditNames }) => {
  const { action, subject, token_id, before, after } = entry
  return (
    <div className="grid min-w-0 gap-1">
      <span className="wrap-anywhere">
        {auditSentence(entry, names)}
        {token_id !== null && <span className="text-xs text-soft"> (with API token {token_id})</span>}
      </span>
      <details className="text-xs text-soft">
        <summary>Details</summary>
        <pre className="mt-1 whitespace-pre-wrap break-all font-mono">
          {JSON.stringify({ action, subject, ...(before !== null && { before }), ...(after !== null && { after }) }, null, 2)}
        </pre>
      </details>
    </div>
  )
}

function Save({ accountId, filter, kind }: { accountId: number; filter: AuditFilter; kind: 'csv' | 'json' }) {
  const [busy, setBusy] = useState(false)
  const report = useReport()
  const save = async () => {
    setBusy(true)
    await report(saveAuditLog(accountId, filter, kind))
    setBusy(false)
  }
  return (
    <Button busy={busy} onClick={() => void save()}>
      Save as {kind.toUpperCase()}
    </Button>
  )
}

/** Below the row of filters, full width. */
const Verdict = ({ data, error }: Pick<ReturnType<typeof useWrite<'verifyAuditLog'>>, 'data' | 'error'>) => (
  <>
    {error && <Notice kind="err">{wordsOf(error)}</Notice>}
    {data && (
      <Notice kind={data.broken ? 'err' : 'ok'}>
        {data.broken ? (
          `Entry ${data.broken.position} failed verification: ${data.broken.why}.`
        ) : (
          <>
            {countOf(data.entries, 'entry', 'entries')}, none changed or missing.
            {data.head !== null && (
              <>
                {' '}
                To detect deleted entries later, save the last entry somewhere else:{' '}
                <code className="break-all text-xs">{`${data.entries}:${data.head}`}</code>
              </>
            )}
          </>
        )}
      </Notice>
    )}
  </>
)
