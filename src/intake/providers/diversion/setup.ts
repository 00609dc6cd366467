import { type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Diversion

1. As an admin of the repository open its **Settings → Webhooks** and add a webhook.
2. Endpoint URL:

   \`\`\`
   ${url}
   \`\`\`

3. Secret: keep the generated one (it starts with \`whsec_\`) and save it here as the signing secret (or with \`${saveSecret(id)}\`), prefix included.
4. Events: **commit_created**.

Signed deliveries are valid for five minutes, so the clock of this server must be correct. Diversion retries failed deliveries with growing delays.
`
