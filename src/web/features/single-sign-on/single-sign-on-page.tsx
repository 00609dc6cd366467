import type { AccountSummary } from '../../../contract/app/shapes.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useAccount } from '../../session.ts'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { Copy } from '../../ui/text/copy.tsx'
import { AccountChoice } from '../settings/account-choice.tsx'
import { ConnectionForm } from './connection-form.tsx'

/** The identity provider of an account. */
export default function SingleSignOn() {
  const account = useAccount()
  return (
    <Page title="Single sign-on" actions={<AccountChoice />}>
      <p className="max-w-prose text-sm text-soft">
        Let people sign in with your own OpenID provider, such as Okta, Entra ID, Google Workspace, Keycloak or Authentik. New
        people become members when they first sign in, and groups set their roles.
      </p>
      {account?.role === 'owner' ? (
        <Settings key={account.id} account={account} />
      ) : (
        <Notice>Only owners of the account can see this page.</Notice>
      )}
    </Page>
  )
}

function Settings({ account }: { account: AccountSummary }) {
  const query = useApi('showSingleSignOn', { account_id: account.id })
  return (
    <Loaded query={query}>
      {(shown) => (
        <div className="grid gap-4">
          <Section title="Values for your provider">
            <p className="text-sm text-soft">
              Register a web application at your provider with these URLs and the scopes openid, email and profile.
            </p>
            <p className="text-sm font-medium">Redirect URI</p>
            <Copy value={shown.redirect_uri} label="redirect URI" />
            <p className="text-sm font-medium">Post-logout redirect URI</p>
            <Copy value={shown.post_logout_redirect_uri} label="post-logout redirect URI" />
          </Section>
          <Section title="Provider" actions={shown.connection && <Remove account={account} />}>
            <ConnectionForm key={shown.connection?.updated_at} account={account} shown={shown} />
          </Section>
        </div>
      )}
    </Loaded>
  )
}

function Remove({ account }: { account: AccountSummary }) {
  const remove = useWrite('removeSingleSignOn', ['showSingleSignOn'])
  return (
    <Confirm
      label="Remove provider"
      title="Remove the provider?"
      action="Remove it"
      run={() => remove.mutateAsync({ account_id: account.id })}
    >
      Everybody stays a member. People who signed in with the provider can set a password with “Forgot your password?”.
    </Confirm>
  )
}
