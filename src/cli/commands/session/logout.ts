import { EXIT, Failure } from '../../../terminal/failures.ts'
import { removeCredential } from '../../connection/config.ts'
import { command } from '../../program/command.ts'
import { SUMMARIES } from '../../summaries.ts'

export const logout = command({
  name: 'logout',
  summary: SUMMARIES.logout,
  details: 'The token stays valid until it expires. To end it now, revoke it in the web app: Settings → API tokens.',
  examples: ['logout', 'logout --host https://gold.example'],
  run({ site, env, out }) {
    if (!removeCredential(env, site)) throw new Failure(`You are not signed in at ${site}. Nothing to do.`, EXIT.notSignedIn)
    out.note(`Signed out of ${site}. The token is still valid; to revoke it, go to ${site}/settings/tokens`)
  },
})
