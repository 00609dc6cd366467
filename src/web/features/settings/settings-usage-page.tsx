import type { AppReply } from '../../../contract/app/routes.ts'
import type { QuotaKind } from '../../../contract/sets.ts'
import { useApi } from '../../queries.ts'
import { useAccount, useMay } from '../../session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { numberOf } from '../../ui/text/dates.ts'
import { sizeOf } from '../../ui/text/size.ts'
import { AccountChoice } from './account-choice.tsx'

type Used = AppReply<'showUsage'>['usage'][number]

const WORDS: Record<QuotaKind, [label: string, beyond: string]> = {
  stored_bytes: ['Stored bodies of deliveries', 'Deliveries are processed without their body being kept.'],
  deliveries: [
    'Deliveries today (UTC)',
    'Tools are refused with 429 until the next day, before they are told that anything was taken.',
  ],
  webhooks: ['Outbound webhooks', 'No other is made.'],
  streams: ['Open event streams, each process', 'Another one is refused with 429.'],
  integrations: ['Integrations', 'No other is made.'],
  invitations: ['Invitations mailed in the last 24 hours', 'Nobody else is invited until some of them are older.'],
}

/** What the account uses of what it may; for its owners and admins. */
export default function SettingsUsage() {
  const account = useAccount()
  const admin = useMay('admin')
  const query = useApi('showUsage', { account_id: account?.id ?? 0 }, { enabled: account !== undefined && admin })
  if (!admin) return <Notice>Only owners and admins of the account see what it uses.</Notice>
  return (
    <Page title="Usage" actions={<AccountChoice />}>
      <p className="max-w-prose text-sm text-soft">Whoever runs this service sets the limits. Counts may be a minute old.</p>
      <Loaded query={query}>
        {({ usage }) => (
          <Table
            caption="Usage"
            rows={usage}
            keyOf={({ kind }) => kind}
            columns={[
              { head: 'What', cell: ({ kind }) => WORDS[kind][0] },
              { head: 'Used', cell: (used) => <Amount of={used} count={used.used} otherwise="each process counts its own" /> },
              { head: 'Limit', cell: (used) => <Amount of={used} count={used.limit} otherwise="none" /> },
              { head: 'Beyond it', wide: true, cell: ({ kind }) => <span className="text-soft">{WORDS[kind][1]}</span> },
            ]}
          />
        )}
      </Loaded>
    </Page>
  )
}

const Amount = ({ of: { kind }, count, otherwise }: { of: Used; count: number | null; otherwise: string }) => {
  if (count === null) return <span className="text-soft">{otherwise}</span>
  return <span className="whitespace-nowrap">{kind === 'stored_bytes' ? sizeOf(count) : numberOf(count)}</span>
}
