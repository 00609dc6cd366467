import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import type { AccountSummary } from '../../../contract/app/shapes.ts'
import { CHAT_VENDORS } from '../../../contract/channels.ts'
import { labelOf } from '../../../contract/labels.ts'
import { BULK_MAX, PEOPLE_LIST_MAX } from '../../../contract/limits.ts'
import { useProviderLabel, useProviders } from '../../providers.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useNames } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Select, TextArea } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { countOf } from '../../ui/text/count.ts'
import { useReport } from '../../ui/toast.tsx'

type MemberName = AppReply<'listMemberNames'>['connected_accounts'][number]

const REFRESHED = ['listMemberNames', 'listConnectedAccounts', 'listMembers'] as const

/** Who of the members is who in other tools. */
export function MemberNames({ account }: { account: AccountSummary }) {
  const query = useApi('listMemberNames', { account_id: account.id })
  const [matching, setMatching] = useState(false)
  return (
    <Section title="Names in other tools">
      <p className="max-w-prose text-sm text-soft">
        Changes by a confirmed name are credited to the member, who can then be suspected and mentioned in chat. Other names stay
        as they are in the tool, and nobody is mentioned.
      </p>
      <div>
        <Button disabled={account.read_only !== null} onClick={() => setMatching(true)}>
          Match a list of users
        </Button>
      </div>
      <MatchList account={account} open={matching} onClose={() => setMatching(false)} />
      <Loaded query={query}>{({ connected_accounts }) => <Names account={account} names={connected_accounts} />}</Loaded>
    </Section>
  )
}

function Names({ account, names }: { account: AccountSummary; names: MemberName[] }) {
  const confirm = useWrite('confirmMemberNames', [...REFRESHED])
  const reject = useWrite('rejectMemberNames', [...REFRESHED])
  const report = useReport()
  const providerLabel = useProviderLabel()
  const nameOf = useNames()
  if (names.length === 0) return null
  const locked = account.read_only !== null
  const busy = confirm.isPending || reject.isPending
  const waiting = names.filter(({ state }) => state === 'waiting').slice(0, BULK_MAX)
  const confirmAll = (chosen: readonly MemberName[], done: string) =>
    report(confirm.mutateAsync({ account_id: account.id, body: { ids: chosen.map(({ id }) => id) } }), done)
  const rejectOne = ({ id, uid, user_id }: MemberName) =>
    report(reject.mutateAsync({ account_id: account.id, body: { ids: [id] } }), `${uid} is not ${nameOf(user_id)}`)
  return (
    <>
      {waiting.length > 1 && (
        <div>
          <Button
            disabled={locked}
            busy={confirm.isPending}
            onClick={() => void confirmAll(waiting, `${countOf(waiting.length, 'name')} confirmed`)}
          >
            Confirm all {waiting.length}
          </Button>
        </div>
      )}
      <Table
        caption="Names in other tools"
        rows={names}
        keyOf={({ id }) => id}
        columns={[
          { head: 'Member', cell: ({ user_id }) => <span className="font-medium">{nameOf(user_id)}</span> },
          { head: 'Tool', cell: ({ provider }) => providerLabel(provider) },
          { head: 'Name in the tool', cell: ({ uid }) => <code className="break-all font-mono text-xs">{uid}</code> },
          { head: 'Found by', wide: true, cell: ({ found_by }) => labelOf('name_source', found_by) },
          {
            head: 'Status',
            cell: ({ state, decided_by_user_id: by }) =>
              `${labelOf('name_state', state)}${by === null ? '' : ` by ${nameOf(by)}`}`,
          },
          {
            head: 'Actions',
            className: 'text-right',
            cell: (row) => (
              <div className="flex justify-end gap-2">
                {row.state !== 'confirmed' && (
                  <Button
                    disabled={locked || busy}
                    onClick={() => void confirmAll([row], `${row.uid} confirmed as ${nameOf(row.user_id)}`)}
                  >
                    Confirm <span className="sr-only">{row.uid}</span>
                  </Button>
                )}
                {row.state !== 'rejected' && (
                  <Button look="quiet" disabled={locked || busy} onClick={() => void rejectOne(row)}>
                    Reject <span className="sr-only">{row.uid}</span>
                  </Button>
                )}
              </div>
            ),
          },
        ]}
      />
    </>
  )
}

function MatchList({ account, open, onClose }: { account: AccountSummary; open: boolean; onClose(): void }) {
  const tools = useProviders().filter(({ category }) => category === 'version_control' || category === 'trackers')
  const options = [...tools.map(({ name, label }) => [name, label] as const), ...Object.entries(CHAT_VENDORS)]
  const [chosen, choose] = useState<string>()
  const provider = chosen ?? tools[0]?.name ?? ''
  const [list, setList] = useState('')
  const [matched, setMatched] = useState<AppReply<'matchMemberNames'>>()
  const match = useWrite('matchMemberNames', [...REFRESHED])
  const submit = async () => {
    setMatched(undefined)
    setMatched(await match.mutateAsync({ account_id: account.id, body: { provider, ...(list.trim() !== '' && { list }) } }))
  }
  const close = () => {
    setMatched(undefined)
    setList('')
    onClose()
  }
  return (
    <Dialog title="Match a list of users" open={open} onClose={close}>
      <Form action="Match" submit={submit}>
        <Select label="Tool" options={options} value={provider} onChange={choose} />
        <TextArea
          label="Users of the tool"
          hint="The output of p4 users, or a table with commas whose first line is: login,name,email. Leave it empty to ask the server of the tool. Addresses are compared and not stored."
          rows={8}
          maxLength={PEOPLE_LIST_MAX}
          spellCheck={false}
          value={list}
          onChange={setList}
        />
      </Form>
      {matched && (
        <Notice kind="ok">
          <p>{summaryOf(matched)}</p>
        </Notice>
      )}
    </Dialog>
  )
}

/** What a list brought, in a sentence or two. */
export function summaryOf({ connected, proposed, known, unknown, unknown_names }: AppReply<'matchMemberNames'>): string {
  const parts = [
    connected > 0 && `${countOf(connected, 'name')} connected by email address`,
    proposed > 0 && `${countOf(proposed, 'name')} to confirm`,
    known > 0 && `${countOf(known, 'name')} known already`,
  ].filter((part) => part !== false)
  const found = parts.length > 0 ? `${parts.join(', ')}.` : 'No name matches a member.'
  if (unknown === 0) return found
  const more = unknown > unknown_names.length ? ` and ${unknown - unknown_names.length} more` : ''
  return `${found} No member found for ${unknown_names.join(', ')}${more}.`
}
