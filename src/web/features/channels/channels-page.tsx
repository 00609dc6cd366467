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

/** Chat rooms that are told what happens. */
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
        A room in Slack, Discord, Teams, Mattermost or Rocket.Chat hears what its rules ask for: one message for each breakage,
        which follows its state where that can be changed, and never one for each build.
      </p>
      {owner ? <Listed account={account} /> : <Notice>Chat channels are shown to owners of the account.</Notice>}
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
          <Empty title="No room is told anything yet">
            Make a channel for the room where your team looks when the build is red: it hears what broke, where, since when and
            whom to ask, and when it is fixed.
          </Empty>
        ) : (
          channels.map((channel) => <ChannelCard key={channel.id} channel={channel} account={account} />)
        )
      }
    </Loaded>
  )
}
