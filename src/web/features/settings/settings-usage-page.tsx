import type { AppReply } from '../../../contract/app/routes.ts'
import { sizeOf } from '../../../contract/labels/size.ts'
import { labelOf, TERMS } from '../../../contract/labels.ts'
import { useApi } from '../../queries.ts'
import { useAccount, useMay } from '../../session.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { numberOf } from '../../ui/text/dates.ts'
import { AccountChoice } from './account-choice.tsx'

type Used = AppReply<'showUsage'>['usage'][number]

/** The usage of the account's quotas; for its owners and admins. */
export default function SettingsUsage() {
  const account = useAccount()
  const admin = useMay('admin')
  const query = useApi('showUsage', { account_id: account?.id ?? 0 }, { enabled: account !== undefined && admin })
  if (!admin) return <Notice>Only owners and admins can see the usage of this account.</Notice>
  return (
    <Page title="Usage" actions={<AccountChoice />}>
      <p className="max-w-prose text-sm text-soft">
        The operator of this service sets the limits. Counts may be up to a minute old.
      </p>
      <Loaded query={query}>
        {({ usage }) => (
          <Table
            caption="Usage"
            rows={usage}
            keyOf={({ kind }) => kind}
            columns={[
              { head: 'Resource', cell: ({ kind }) => labelOf('quota_kind', kind) },
              { head: 'Used', cell: (used) => <Amount of={used} count={used.used} otherwise="not counted here" /> },
              { head: 'Limit', cell: (used) => <Amount of={used} count={used.limit} otherwise="none" /> },
              {
                head: 'Above the limit',
                wide: true,
                cell: ({ kind }) => <span className="text-soft">{TERMS.quota_kind[kind].description}</span>,
              },
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
