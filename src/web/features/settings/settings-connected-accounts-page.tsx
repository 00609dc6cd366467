import { useState } from 'react'
import { CHAT_VENDORS } from '../../../contract/channels.ts'
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

/** Tools that name the people behind what they report. */
const NAMING: readonly ProviderCategory[] = ['version_control', 'trackers']

/** What a chat mentions somebody by. */
const CHAT_IDS: Record<keyof typeof CHAT_VENDORS, string> = {
  slack: 'Your member id, such as U012AB3CD: in your profile, under ⋮, Copy member ID.',
  discord: 'Your user id, a long number: with developer mode on, Copy User ID in the menu of your name.',
  teams: 'The address you sign in to Teams with.',
  mattermost: 'Your user name, without the @.',
  rocketchat: 'Your user name, without the @.',
}
const CHATS = Object.entries(CHAT_VENDORS)

/** What one is called elsewhere, so that a change or an issue finds its person. */
export default function SettingsConnectedAccounts() {
  const query = useApi('listConnectedAccounts', {})
  const remove = useWrite('removeConnectedAccount', ['listConnectedAccounts'])
  const labelOf = useProviderLabel()
  const say = useToast()
  return (
    <Page title="Connected accounts">
      <p className="max-w-prose text-sm text-soft">
        Tell what you are called in other tools. Once an owner of the account has confirmed it, changes under that name are known
        to be yours, also when a broken build is investigated, and chat knows whom to mention.
      </p>
      <Loaded query={query}>
        {({ connected_accounts }) =>
          connected_accounts.length === 0 ? (
            <Empty title="No names yet">Start with the one you commit under.</Empty>
          ) : (
            <Table
              caption="Your names in other tools"
              rows={connected_accounts}
              keyOf={({ id }) => id}
              columns={[
                { head: 'Tool', cell: ({ provider }) => labelOf(provider) },
                { head: 'Name there', cell: ({ uid }) => <code className="break-all font-mono text-xs">{uid}</code> },
                {
                  head: 'State',
                  cell: ({ unconfirmed_in }) =>
                    unconfirmed_in.length === 0 ? (
                      <Pill kind="ok">confirmed</Pill>
                    ) : (
                      <span className="text-sm text-soft">waits for an owner of {unconfirmed_in.join(', ')}</span>
                    ),
                },
                { head: 'Since', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
                {
                  head: 'Actions',
                  className: 'text-right',
                  cell: ({ id, provider, uid }) => (
                    <Confirm
                      label="Remove"
                      title={`Forget ${uid}?`}
                      action="Forget it"
                      look="quiet"
                      run={async () => {
                        await remove.mutateAsync({ id })
                        say(`${uid} was forgotten`)
                      }}
                    >
                      What {uid} does in {labelOf(provider)} is no longer recognised as yours.
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
    say(unconfirmed_in.length === 0 ? `${uid.trim()} is you` : 'Noted; an owner has yet to confirm it')
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
            onChange={(event) => choose(event.target.value)}
          />
          <TextField
            label="Name there"
            hint={hints[provider] ?? 'A user name or id, as the tool writes it.'}
            required
            maxLength={NAME_MAX}
            autoComplete="off"
            spellCheck={false}
            value={uid}
            onChange={(event) => setUid(event.target.value)}
          />
        </div>
      </Form>
    </Section>
  )
}
