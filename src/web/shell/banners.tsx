import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { useConnection, useSecondsLeft, waitOf } from '../connection.ts'
import { useAccount, useMe } from '../session.ts'

const Banner = ({ kind, children }: { kind: 'warn' | 'err' | 'info'; children: ReactNode }) => (
  <div
    role="status"
    className={`border-b px-4 py-2 text-sm md:px-8 ${kind === 'err' ? 'border-err/30 bg-err-wash text-err' : kind === 'warn' ? 'border-warn/30 bg-warn-wash text-warn' : 'border-info/30 bg-info-wash text-info'}`}
  >
    {children}
  </div>
)

/** Notices for every page: connection lost, account read-only, trial ending. */
export function Banners() {
  const { away } = useConnection()
  const account = useAccount()
  const { user, accounts, metering } = useMe()
  const wait = useSecondsLeft()
  const pays = metering && account?.role === 'owner'
  const days =
    account?.trial_ends_at && !account.payment_method ? (Date.parse(account.trial_ends_at) - Date.now()) / 86_400_000 : undefined
  return (
    <>
      {away && <Banner kind="err">Can’t reach the server. Retrying… Nothing you typed is lost.</Banner>}
      {wait > 0 && <Banner kind="warn">Too many requests. Retrying in {waitOf(wait)}.</Banner>}
      {account?.blocked === 'address' && <Banner kind="err">{account.name} can’t be opened from your current IP address.</Banner>}
      {accounts
        .filter(({ blocked }) => blocked === 'second_factor')
        .map(({ id, name }) => (
          <Banner key={id} kind="warn">
            {name} requires a second factor.{' '}
            <Link to="/settings/sign-in" className="underline">
              Confirm or add one
            </Link>{' '}
            to open it, or sign in with {name}’s single sign-on.
          </Banner>
        ))}
      {account?.read_only === 'trial_expired' && (
        <Banner kind="warn">
          The trial of {account.name} has ended. The account is read-only.{' '}
          {pays ? (
            <>
              <Link to="/settings/billing" className="underline">
                Add a payment method
              </Link>{' '}
              to make changes again.
            </>
          ) : metering ? (
            'Ask an owner to add a payment method.'
          ) : (
            'Ask the operator of this service.'
          )}
        </Banner>
      )}
      {account?.read_only === 'demo' && <Banner kind="info">{account.name} is a read-only demo.</Banner>}
      {!account?.read_only && days !== undefined && days < 5 && (
        <Banner kind="info">
          The trial of {account?.name} ends in {Math.max(1, Math.ceil(days))} {days > 1 ? 'days' : 'day'}.{' '}
          {pays && (
            <Link to="/settings/billing" className="underline">
              Billing
            </Link>
          )}
        </Banner>
      )}
      {!user.email_verified && !user.operator && (
        <Banner kind="info">
          Confirm your email address: we sent a link to {user.email}.{' '}
          <Link to="/settings/profile" className="underline">
            Send it again
          </Link>
        </Banner>
      )}
    </>
  )
}
