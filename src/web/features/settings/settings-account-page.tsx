import { Link } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf } from '../../../contract/labels.ts'
import { NAME_MAX, TIMEZONE_MAX } from '../../../contract/limits.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useAccount, useMay, useMe } from '../../session.ts'
import { DefinitionList } from '../../ui/definition-list.tsx'
import { useDraft } from '../../ui/form/draft.ts'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { dateOf } from '../../ui/text/dates.ts'
import { DeleteAccount } from '../export-delete/delete-account.tsx'
import { Exports } from '../export-delete/exports.tsx'
import { LanguageModelSwitch } from '../failure-rules/language-model-switch.tsx'
import { AccountAccess } from './account-access.tsx'
import { AccountChoice } from './account-choice.tsx'
import { AccountRetention } from './account-retention.tsx'
import { AccountSecurity } from './account-security.tsx'
import { Usage } from './usage.tsx'

type Account = AppReply<'showAccount'>

export default function SettingsAccount() {
  const account = useAccount()
  const { metering } = useMe()
  const admin = useMay('admin')
  const owner = useMay('owner') && !account?.demo
  const query = useApi('showAccount', { account_id: account?.id ?? 0 }, { enabled: account !== undefined })
  // Loaded with the account. The tokens are shown in its middle, and would move what is below them.
  const tokens = useApi('listAccountTokens', { account_id: account?.id ?? 0 }, { enabled: admin && account !== undefined })
  useApi('listExports', { account_id: account?.id ?? 0 }, { enabled: owner && account !== undefined })
  return (
    <Page title="Account" actions={<AccountChoice />}>
      <Loaded query={admin && tokens.isPending ? { ...query, data: undefined } : query}>
        {(shown) => (
          <div key={shown.id} className="grid gap-4">
            <General account={shown} admin={admin} />
            {admin && <AccountAccess account={shown} />}
            {owner && <AccountSecurity account={shown} />}
            {admin && <LanguageModelSwitch account={shown} />}
            {admin && <AccountRetention account={shown} />}
            <Section
              title="Plan"
              actions={
                metering && (
                  <Link to="/settings/billing" className="text-sm underline">
                    Billing
                  </Link>
                )
              }
            >
              <DefinitionList
                items={[
                  ['Plan', labelOf('plan', shown.plan)],
                  ['Projects', shown.projects],
                  ['People', shown.members],
                  ['Created', dateOf('date', shown.created_at)],
                ]}
              />
            </Section>
            <Section title="Credits">
              <DefinitionList
                items={[
                  ['Remaining', <strong key="credits">{shown.credits ?? 'not counted'}</strong>],
                  ['Investigations today', `${shown.used_today} of ${shown.daily_limit}`],
                  ['In 30 days', shown.usage.reduce((sum, day) => sum + day.investigations, 0)],
                  ['Refunded', shown.usage.reduce((sum, day) => sum + day.refunded, 0)],
                ]}
              />
              {shown.credits !== null && (
                <p className="max-w-prose text-sm text-soft">
                  Investigating a failed build costs one credit. It is refunded if the investigation fails or the build has no
                  log.
                </p>
              )}
              <Usage usage={shown.usage} />
            </Section>
            {owner && <Exports accountId={shown.id} />}
            {owner && <DeleteAccount account={shown} />}
          </div>
        )}
      </Loaded>
    </Page>
  )
}

const ZONES = Intl.supportedValuesOf('timeZone')

function General({ account, admin }: { account: Account; admin: boolean }) {
  const [name, setName, clearName] = useDraft(`account name ${account.id}`, account.name)
  const [timezone, setTimezone, clearZone] = useDraft(`account timezone ${account.id}`, account.timezone)
  const edit = useWrite('editAccount', ['showAccount', 'showMe'])
  const locked = !admin || account.read_only !== null
  const submit = async () => {
    await edit.mutateAsync({ account_id: account.id, body: { name, timezone } })
    clearName()
    clearZone()
  }
  return (
    <Section title="General">
      {!admin && <Notice>Only owners and admins can change this account.</Notice>}
      <Form
        action="Save"
        submit={submit}
        done="Saved"
        disabled={locked || (name === account.name && timezone === account.timezone)}
      >
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField label="Name" required maxLength={NAME_MAX} disabled={locked} value={name} onChange={setName} />
          <TextField
            label="Time zone"
            hint="Defines when a day starts for daily counts in the feed."
            list="timezones"
            required
            maxLength={TIMEZONE_MAX}
            disabled={locked}
            spellCheck={false}
            value={timezone}
            onChange={setTimezone}
          />
          <datalist id="timezones">
            {ZONES.map((zone) => (
              <option key={zone} value={zone} />
            ))}
          </datalist>
        </div>
      </Form>
    </Section>
  )
}
