import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { notFound } from '../../../contract/errors.ts'
import { labelOf, TERMS } from '../../../contract/labels.ts'
import { DAILY_INVESTIGATIONS, PLANS, type Plan } from '../../../contract/sets.ts'
import { wordsOf } from '../../api.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useAccount, useMay, useMe } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { PageError } from '../../ui/page-error.tsx'
import { Pill } from '../../ui/pill.tsx'
import { dateOf } from '../../ui/text/dates.ts'
import { useToast } from '../../ui/toast.tsx'
import { AccountChoice } from './account-choice.tsx'

type Account = AppReply<'showAccount'>

export default function SettingsBilling() {
  const { metering } = useMe()
  return metering ? <Billing /> : <PageError error={notFound('Page')} />
}

function Billing() {
  const account = useAccount()
  const query = useApi('showAccount', { account_id: account?.id ?? 0 }, { enabled: account !== undefined })
  const owner = useMay('owner')
  return (
    <Page title="Billing" actions={<AccountChoice />}>
      {!owner && <Notice>Only owners of the account can change billing.</Notice>}
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

/** Billing is manual: this records payment by invoice, and no card is ever needed. */
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
    <Section title="Payment method" actions={payment_method ? <Pill kind="ok">By invoice</Pill> : <Pill>None</Pill>}>
      {read_only === 'trial_expired' && (
        <Notice kind="warn">
          The trial ended{trial_ends_at && ` on ${dateOf('date', trial_ends_at)}`}, so {account.name} is read-only. Add a payment
          method to make changes again.
        </Notice>
      )}
      {read_only === 'demo' && <Notice>This is a read-only demo account.</Notice>}
      {!read_only && trial_ends_at && !payment_method && !over && (
        <Notice>
          The trial runs until {dateOf('date', trial_ends_at)}. After that the account is read-only until it has a payment method.
        </Notice>
      )}
      <p className="max-w-prose text-sm text-soft">You pay the operator of this service by invoice. No card data is stored.</p>
      {edit.error && <Notice kind="err">{wordsOf(edit.error)}</Notice>}
      <div>
        {payment_method ? (
          <Confirm label="Remove" title="Remove the payment method?" action="Remove it" disabled={locked} run={() => set(false)}>
            {over || !trial_ends_at
              ? 'The trial has ended, so the account becomes read-only within an hour.'
              : `The trial runs until ${dateOf('date', trial_ends_at)}. After that, the account becomes read-only.`}
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

function Plans({ account, locked }: { account: Account; locked: boolean }) {
  const edit = useWrite('editBilling', ['showAccount', 'showMe'])
  const [wanted, setWanted] = useState<Plan>()
  const say = useToast()
  const choose = async (plan: Plan) => {
    setWanted(plan)
    const done = await edit.mutateAsync({ account_id: account.id, body: { plan } }).catch(() => undefined)
    if (done) say(`You are now on the ${labelOf('plan', plan)} plan`)
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
              <h3 className="font-medium">{labelOf('plan', plan)}</h3>
              <p className="text-xs text-soft">{TERMS.plan[plan].description}</p>
              <p className="text-xs text-soft">{DAILY_INVESTIGATIONS[plan]} investigations per day</p>
            </div>
            {plan === account.plan ? (
              <p className="text-sm font-medium text-accent">Current plan</p>
            ) : plan === 'free' ? (
              <Confirm
                look="plain"
                label="Switch to Free"
                title="Switch to Free?"
                action="Switch to Free"
                disabled={locked}
                run={() => choose(plan)}
              >
                Everybody in {account.name} loses the feed and outbound webhooks.
              </Confirm>
            ) : (
              <Button
                disabled={locked || edit.isPending}
                busy={edit.isPending && wanted === plan}
                onClick={() => void choose(plan)}
                aria-label={`Switch to ${labelOf('plan', plan)}`}
              >
                Switch
              </Button>
            )}
          </li>
        ))}
      </ul>
    </Section>
  )
}
