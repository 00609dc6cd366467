import { Link } from '@tanstack/react-router'
import { useApi } from '../../queries.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { Passkeys } from './passkeys.tsx'
import { TwoFactor } from './two-factor.tsx'

/** What one signs in with, beside the password. */
export default function SettingsSignIn() {
  const query = useApi('showSignIn', {})
  return (
    <Page title="Sign-in">
      <p className="max-w-prose text-sm text-soft">
        Your password is changed in your{' '}
        <Link to="/settings/profile" className="underline">
          profile
        </Link>
        . Whoever signs in through their studio’s provider is asked for whatever that asks for, and for nothing of this.
      </p>
      <Loaded query={query}>
        {({ two_factor, recovery_codes, passkeys }) => (
          <div className="grid gap-4">
            <TwoFactor on={two_factor} recoveryCodes={recovery_codes} />
            <Passkeys passkeys={passkeys} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}
