import type { AppReply } from '../../../contract/app/routes.ts'
import { useProviderLabel } from '../../providers.ts'
import { useApi } from '../../queries.ts'
import { useMe, useNames } from '../../session.ts'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Checkbox } from '../../ui/form/field.tsx'
import { Section } from '../../ui/page.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/text/time.tsx'
import { useRevokeMade } from './revoke-made.ts'

type MadeToken = AppReply<'listMadeTokens'>['tokens'][number]

/** The name of a token, with its project. */
function useTokenName() {
  const labelOf = useProviderLabel()
  const { projects } = useMe()
  return ({ kind, name, project_id }: MadeToken) => {
    const project = projects.find(({ id }) => id === project_id)?.name ?? `project ${project_id}`
    return kind === 'ugs_token'
      ? `Unreal Game Sync token “${name}” of ${project}`
      : `Webhook token of ${labelOf(name as never)} in ${project}`
  }
}

interface Props {
  accountId: number
  userId: number
  chosen: MadeToken[]
  onChange(tokens: MadeToken[]): void
}

/** The tokens created by a person who is being removed, with a choice to revoke them. */
export function TokensMadeBy({ accountId, userId, chosen, onChange }: Props) {
  const { data } = useApi('listMadeTokens', { account_id: accountId, query: { user_id: userId } })
  const nameOf = useTokenName()
  if (!data || data.tokens.length === 0) return null
  const isChosen = (token: MadeToken) => chosen.some(({ kind, id }) => kind === token.kind && id === token.id)
  return (
    <fieldset className="mt-4 grid gap-2">
      <legend className="mb-2 text-sm font-medium text-ink">They created these tokens and may still know them. Revoke:</legend>
      {data.tokens.map((token) => (
        <Checkbox
          key={`${token.kind} ${token.id}`}
          label={nameOf(token)}
          hint={
            token.kind === 'integration'
              ? 'Creates a new token, which you enter in the tool.'
              : 'Clients that use it stop working.'
          }
          checked={isChosen(token)}
          onChange={(isChecked) =>
            onChange(isChecked ? [...chosen, token] : chosen.filter((one) => one.kind !== token.kind || one.id !== token.id))
          }
        />
      ))}
    </fieldset>
  )
}

/** Tokens of people who left; renders nothing if there are none. */
export function FormerMembersTokens({ accountId }: { accountId: number }) {
  const { data } = useApi('listMadeTokens', { account_id: accountId })
  const nameOf = useTokenName()
  const whose = useNames()
  const revoke = useRevokeMade()
  if (!data || data.tokens.length === 0) return null
  return (
    <Section title="Tokens of former members">
      <p className="max-w-prose text-sm text-soft">People who left created these tokens and may still know them.</p>
      <Table
        caption="Tokens of former members"
        rows={data.tokens}
        keyOf={({ kind, id }) => `${kind} ${id}`}
        columns={[
          { head: 'Token', cell: (token) => <span className="font-medium">{nameOf(token)}</span> },
          { head: 'Created by', cell: ({ user_id }) => whose(user_id) },
          { head: 'Created', wide: true, cell: ({ created_at }) => <Time at={created_at} /> },
          {
            head: 'Actions',
            className: 'text-right',
            cell: (token) => (
              <Confirm label="Revoke" title={`Revoke ${nameOf(token)}?`} action="Revoke" look="quiet" run={() => revoke(token)}>
                {token.kind === 'integration'
                  ? 'The integration gets a new token. Enter it in the tool, or its deliveries are refused.'
                  : 'Clients that use it stop working.'}
              </Confirm>
            ),
          },
        ]}
      />
    </Section>
  )
}
