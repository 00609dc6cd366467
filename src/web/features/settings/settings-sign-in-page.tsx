import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { ConfirmMethod } from '../../../contract/sets.ts'
import { freshSignIn } from '../../fresh-sign-in.ts'
import { refreshAll, useApi } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page } from '../../ui/page.tsx'
import { Passkeys } from './passkeys.tsx'
import { TwoFactor } from './two-factor.tsx'

/** Sign-in methods other than the password. */
export default function SettingsSignIn() {
  const query = useApi('showSignIn', {})
  return (
    <Page title="Sign-in">
      <p className="max-w-prose text-sm text-soft">
        You can change your password in your{' '}
        <Link to="/settings/profile" className="underline">
          profile
        </Link>
        . If you use single sign-on, your provider decides which factors you need.
      </p>
      <Loaded query={query}>
        {({ two_factor, recovery_codes, passkeys }) => (
          <div className="grid gap-4">
            <ShowFactor
              methods={[...(two_factor ? ['code' as const] : []), ...(passkeys.length > 0 ? ['passkey' as const] : [])]}
            />
            <TwoFactor on={two_factor} recoveryCodes={recovery_codes} />
            <Passkeys passkeys={passkeys} />
          </div>
        )}
      </Loaded>
    </Page>
  )
}

/** The person has a factor that this session has not shown, for example because another account's provider asked for none. */
function ShowFactor({ methods }: { methods: ConfirmMethod[] }) {
  const client = useQueryClient()
  const blocked = useMe().accounts.filter(({ blocked }) => blocked === 'second_factor')
  if (blocked.length === 0 || methods.length === 0) return null
  const show = async () => {
    if (await freshSignIn.ask(methods)) await refreshAll(client)
  }
  return (
    <Notice kind="warn">
      <div className="grid justify-items-start gap-3">
        {blocked.map(({ name }) => name).join(', ')} requires a second factor. Confirm yours to open it.
        <Button onClick={() => void show()}>Confirm second factor</Button>
      </div>
    </Notice>
  )
}
