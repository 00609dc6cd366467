import { useState } from 'react'
import { CHAT_VENDORS } from '../../../contract/channels.ts'
import { labelOf as termOf } from '../../../contract/labels.ts'
import { NAME_MAX } from '../../../contract/limits.ts'
import type { ProviderCategory } from '../../../contract/sets.ts'
import { useProviderLabel, useProviders } from '../../providers.ts'
import { useApi, useWrite } from '../../queries.ts'
import { Empty } from '../../ui/empty.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useToast } from '../../ui/toast.tsx'

/** Tools that report the people behind their data. */
const NAMING: readonly ProviderCategory[] = ['version_control', 'trackers']

/** The kind of id by which a chat mentions people. */
const CHAT_IDS: Record<keyof typeof CHAT_VENDORS, string> = {
  slack: 'Your member ID, such as U012AB3CD. In your Slack profile, select ⋮, then Copy member ID.',
  discord: 'Your user ID, a long number. Turn on developer mode, then select Copy User ID in your profile menu.',
  teams: 'The email address you use to sign in to Teams.',
  mattermost: 'Your user name without the @.',
  rocketchat: 'Your user name without the @.',
}
const CHATS = Object.entries(CHAT_VENDORS)

/** The user's names in other tools, so that changes and issues are attributed to them. */
export default function SettingsConnectedAccounts() {
  const query = useApi('listConnectedAccounts', {})
  const remove = useWrite('removeConnectedAccount', ['listConnectedAccounts'])
  const labelOf = useProviderLabel()
  return (
    <Page title="Connected accounts">
      <p className="max-w-prose text-sm text-soft">
        Add your names in other tools. After an owner of the account confirms a name, its changes are recognized as yours and chat
        messages can mention you.
      </p>
      <Loaded query={query}>
        {({ connected_accounts }) =>
          connected_accounts.length === 0 ? (
            <Empty title="No names yet">Start with the name you use for commits.</Empty>
          ) : (
            <Table
              caption="Your names in other tools"
              rows={connected_accounts}
              keyOf={({ id }) => id}
              columns={[
                { head: 'Tool', cell: ({ provider }) => labelOf(provider) },
                { head: 'Found by', wide: true, cell: ({ found_by }) => termOf('name_source', found_by) },
                { head: 'Name in the tool', cell: ({ uid }) => <code className="break-all font-mono text-xs">{uid}</code> },
                {
                  head: 'Status',
                  cell: ({ unconfirmed_in }) =>
                    unconfirmed_in.length === 0 ? (
                      <Pill kind="ok">Confirmed</Pill>
                    ) : (
                      <span className="text-sm text-soft">Pending confirmation by an owner of {unconfirmed_in.join(', ')}</span>
                    ),
                },
                { head: 'Since', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
                {
                  head: 'Actions',
                  className: 'text-right',
                  cell: ({ id, provider, uid }) => (
                    <Confirm
                      label="Remove"
                      title={`Remove ${uid}?`}
                      action="Remove"
                      look="quiet"
                      done={`${uid} removed`}
                      run={() => remove.mutateAsync({ id })}
                    >
                      Changes by {uid} in {labelOf(provider)} are no longer recognized as yours.
                    </Confirm>
                  ),
                },
              ]}
            />
          )
        }
      </Loaded>
      <NewName />
    </Page>
  )
}

function NewName() {
  const tools = useProviders().filter(({ category }) => NAMING.includes(category))
  const [chosen, choose] = useState<string>()
  const provider = chosen ?? tools[0]?.name ?? ''
  const hints: Record<string, string> = CHAT_IDS
  const [uid, setUid, clear] = useDraft('connected account', '')
  const add = useWrite('addConnectedAccount', ['listConnectedAccounts'])
  const say = useToast()
  const submit = async () => {
    const { unconfirmed_in } = await add.mutateAsync({ body: { provider, uid } })
    say(unconfirmed_in.length === 0 ? `${uid.trim()} added` : 'Name added. An owner must confirm it.')
    setUid('')
    clear()
  }
  return (
    <Section title="Add a name">
      <Form action="Add" submit={submit} disabled={uid.trim() === ''}>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <Select
            label="Tool"
            options={[...tools.map(({ name, label }) => [name, label] as const), ...CHATS]}
            value={provider}
            onChange={choose}
          />
          <TextField
            label="Name in the tool"
            hint={hints[provider] ?? 'Your user name or ID in that tool.'}
            required
            maxLength={NAME_MAX}
            autoComplete="off"
            spellCheck={false}
            value={uid}
            onChange={setUid}
          />
        </div>
      </Form>
    </Section>
  )
}
