import { type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Diversion

1. As an admin of the repository open its **Settings → Webhooks** and add a webhook.
2. Endpoint URL:

   \`\`\`
   ${url}
   \`\`\`

3. Secret: keep the generated one (it begins with \`whsec_\`) and save it here as the signing secret (or with \`${saveSecret(id)}\`), prefix included.
4. Events: **commit_created**.

Signed deliveries count for five minutes, so this server's clock has to be right. Diversion repeats what fails, with growing pauses.
`
