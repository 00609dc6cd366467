import { useState } from 'react'
import type { AccountSummary } from '../../../contract/app/shapes.ts'
import { LOOK_AGAIN_MS } from '../../polling.ts'
import { useApi } from '../../queries.ts'
import { useAccount, useMay } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Icon } from '../../ui/icon.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { AccountChoice } from '../settings/account-choice.tsx'
import { WebhookCard } from './webhook-card.tsx'
import { WebhookDialog } from './webhook-dialog.tsx'

/** The outbound webhooks of an account. */
export default function SettingsWebhooks() {
  const account = useAccount()
  const [making, setMaking] = useState(false)
  const may = useMay('admin')
  const owner = account !== undefined && may
  const mayMake = owner && !account.read_only && account.plan !== 'free'
  return (
    <Page
      title="Outbound webhooks"
      actions={
        <>
          <AccountChoice />
          {mayMake && (
            <Button look="main" onClick={() => setMaking(true)}>
              <Icon name="plus" /> New webhook
            </Button>
          )}
        </>
      }
    >
      <p className="max-w-prose text-sm text-soft">
        Send events to your own URL, signed and in order. If the receiver doesn’t answer with 2xx, delivery is retried for up to
        24 hours.
      </p>
      {account?.plan === 'free' && <Notice>Outbound webhooks need the Team plan or higher.</Notice>}
      {owner ? <Listed account={account} /> : <Notice>Only owners of this account can see webhooks.</Notice>}
      {making && account && <WebhookDialog account={account} onClose={() => setMaking(false)} />}
    </Page>
  )
}

function Listed({ account }: { account: AccountSummary }) {
  const query = useApi('listWebhooks', { account_id: account.id }, { every: LOOK_AGAIN_MS })
  return (
    <Loaded query={query}>
      {({ webhooks }) =>
        webhooks.length === 0 ? (
          <Empty title="No webhooks yet">
            Create a webhook to send builds, changes, approvals and deployments to a dashboard or script.
          </Empty>
        ) : (
          webhooks.map((webhook) => <WebhookCard key={webhook.id} webhook={webhook} locked={account.read_only !== null} />)
        )
      }
    </Loaded>
  )
}
