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
import { ChannelCard } from './channel-card.tsx'
import { NewChannel } from './new-channel.tsx'

/** The chat channels of an account. */
export default function Channels() {
  const account = useAccount()
  const [making, setMaking] = useState(false)
  const may = useMay('admin')
  const owner = account !== undefined && may
  return (
    <Page
      title="Chat channels"
      actions={
        <>
          <AccountChoice />
          {owner && !account.read_only && (
            <Button look="main" onClick={() => setMaking(true)}>
              <Icon name="plus" /> New channel
            </Button>
          )}
        </>
      }
    >
      <p className="max-w-prose text-sm text-soft">
        Send messages about breakages, approvals and deployments to Slack, Discord, Teams, Mattermost or Rocket.Chat. Each
        breakage gets one message, which is edited when its state changes, not one message per build.
      </p>
      {owner ? <Listed account={account} /> : <Notice>Only owners of this account can see chat channels.</Notice>}
      {making && account && <NewChannel account={account} onClose={() => setMaking(false)} />}
    </Page>
  )
}

function Listed({ account }: { account: AccountSummary }) {
  const query = useApi('listChannels', { account_id: account.id }, { every: LOOK_AGAIN_MS })
  return (
    <Loaded query={query}>
      {({ channels }) =>
        channels.length === 0 ? (
          <Empty title="No channels yet">
            Connect Slack, Discord, Teams, Mattermost or Rocket.Chat to get notified about broken builds: what broke, since when,
            which change is suspected, and when it is fixed.
          </Empty>
        ) : (
          channels.map((channel) => <ChannelCard key={channel.id} channel={channel} account={account} />)
        )
      }
    </Loaded>
  )
}
