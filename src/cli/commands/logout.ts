import { EXIT, Failure } from '../../terminal/failures.ts'
import { removeCredential } from '../connection/config.ts'
import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

export const logout = command({
  name: 'logout',
  summary: SUMMARIES.logout,
  details: 'The token itself lives on until it expires; revoke it in the settings of the web app.',
  examples: ['logout', 'logout --host https://gold.example'],
  run({ site, env, out }) {
    if (!removeCredential(env, site)) throw new Failure(`You are not signed in at ${site}.`, EXIT.notSignedIn)
    out.note(`Signed out of ${site}. To make the token useless everywhere, revoke it at ${site}/settings/tokens`)
  },
})
