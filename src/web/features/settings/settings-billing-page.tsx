import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { notFound } from '../../../contract/errors.ts'
import { DAILY_INVESTIGATIONS, PLANS, type Plan } from '../../../contract/sets.ts'
import { wordsOf } from '../../api.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useAccount, useMay, useMe } from '../../session.ts'
import { Broken } from '../../ui/broken.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { dateOf } from '../../ui/text/dates.ts'
import { useToast } from '../../ui/toast.tsx'
import { AccountChoice } from './account-choice.tsx'

type Account = AppReply<'showAccount'>

export default function SettingsBilling() {
  const { metering } = useMe()
  return metering ? <Billing /> : <Broken error={notFound('Page')} />
}

function Billing() {
  const account = useAccount()
  const query = useApi('showAccount', { account_id: account?.id ?? 0 }, { enabled: account !== undefined })
  const owner = useMay('owner')
  return (
    <Page title="Billing" actions={<AccountChoice />}>
      {!owner && <Notice>Only owners of the account may change what it pays.</Notice>}
      <Loaded query={query}>
        {(shown) => (
          <>
            <Payment account={shown} locked={!owner} />
            <Plans account={shown} locked={!owner} />
          </>
        )}
      </Loaded>
    </Page>
  )
}

/** Billing is by hand: this records that one pays by invoice, and no card is ever asked for. */
function Payment({ account, locked }: { account: Account; locked: boolean }) {
  const edit = useWrite('editBilling', ['showAccount', 'showMe'])
  const say = useToast()
  const { id, payment_method, trial_ends_at, read_only } = account
  const set = async (given: boolean) => {
    await edit.mutateAsync({ account_id: id, body: { payment_method: given } })
    say(given ? 'Payment method recorded' : 'Payment method removed')
  }
  const over = trial_ends_at !== null && Date.parse(trial_ends_at) < Date.now()
  return (
    <Section title="Payment method" actions={payment_method ? <Pill kind="ok">by invoice</Pill> : <Pill>none</Pill>}>
      {read_only === 'trial_expired' && (
        <Notice kind="warn">
          The trial ended{trial_ends_at && ` on ${dateOf('date', trial_ends_at)}`}, so {account.name} is read-only. A payment
          method lifts that at once.
        </Notice>
      )}
      {read_only === 'demo' && <Notice>This is a demo account: it stays read-only.</Notice>}
      {!read_only && trial_ends_at && !payment_method && !over && (
        <Notice>
          The trial runs until {dateOf('date', trial_ends_at)}. After that the account is read-only until it has a payment method.
        </Notice>
      )}
      <p className="max-w-prose text-sm text-soft">
        Payment is settled with the operator of this service, by invoice. No card is asked for and none is kept.
      </p>
      {edit.error && <Notice kind="err">{wordsOf(edit.error)}</Notice>}
      <div>
        {payment_method ? (
          <Confirm label="Remove" title="Remove the payment method?" action="Remove it" disabled={locked} run={() => set(false)}>
            {over || !trial_ends_at
              ? 'Without one, an account whose trial is over becomes read-only within the hour.'
              : `The trial still runs until ${dateOf('date', trial_ends_at)}; after that the account becomes read-only.`}
          </Confirm>
        ) : (
          <Button look="main" disabled={locked} busy={edit.isPending} onClick={() => void set(true).catch(() => {})}>
            Pay by invoice
          </Button>
        )}
      </div>
    </Section>
  )
}

const BRINGS: Record<Plan, string> = {
  free: 'Projects, builds, tasks and approvals. No feed, no outbound webhooks.',
  team: 'The feed across all projects, live, and outbound webhooks.',
  studio: 'Everything of Team, for many builds a day.',
  enterprise: 'Everything of Studio, for whole fleets of builds.',
}

function Plans({ account, locked }: { account: Account; locked: boolean }) {
  const edit = useWrite('editBilling', ['showAccount', 'showMe'])
  const [wanted, setWanted] = useState<Plan>()
  const say = useToast()
  const choose = async (plan: Plan) => {
    setWanted(plan)
    const done = await edit.mutateAsync({ account_id: account.id, body: { plan } }).catch(() => undefined)
    if (done) say(`The plan is ${plan} now`)
  }
  return (
    <Section title="Plan">
      <p className="text-sm text-soft">Credits: {account.credits === null ? 'not counted' : `${account.credits} left`}</p>
      {edit.error && <Notice kind="err">{wordsOf(edit.error)}</Notice>}
      <ul className="grid gap-3 sm:grid-cols-2 lg:grid-cols-4">
        {PLANS.map((plan) => (
          <li
            key={plan}
            className={`grid content-between gap-3 rounded-lg border p-3 ${plan === account.plan ? 'border-accent bg-accent-wash' : 'border-line'}`}
          >
            <div className="grid gap-1">
              <h3 className="font-medium capitalize">{plan}</h3>
              <p className="text-xs text-soft">{BRINGS[plan]}</p>
              <p className="text-xs text-soft">{DAILY_INVESTIGATIONS[plan]} investigations a day</p>
            </div>
            {plan === account.plan ? (
              <p className="text-sm font-medium text-accent">Your plan</p>
            ) : plan === 'free' ? (
              <Confirm
                look="plain"
                label="Choose Free"
                title="Switch to Free?"
                action="Switch to Free"
                disabled={locked}
                run={() => choose(plan)}
              >
                Everybody in {account.name} loses the feed and the outbound webhooks.
              </Confirm>
            ) : (
              <Button
                disabled={locked || edit.isPending}
                busy={edit.isPending && wanted === plan}
                onClick={() => void choose(plan)}
                aria-label={`Choose ${plan}`}
              >
                Choose
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
