import { command } from '../../program/command.ts'
import { SUMMARIES } from '../../summaries.ts'

export const whoami = command({
  name: 'whoami',
  summary: SUMMARIES.whoami,
  web: () => '/settings/tokens',
  shows: { route: 'ping' },
  examples: ['whoami', "whoami --pick 'token.scopes[]'", 'whoami --host https://gold.example'],
  async run({ client, site, source, out }) {
    const answer = await client.ping({})
    out.answer(answer, () => {
      const { user_id, account_id, token } = answer
      const { name, prefix, scopes, expires_at } = token
      out.facts({
        host: site,
        user_id,
        account_id,
        token: name,
        prefix,
        kept_in: source,
        scopes,
        expires_at: expires_at ?? 'never',
      })
    })
  },
})
