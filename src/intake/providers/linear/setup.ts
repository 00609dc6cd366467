import { type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Linear

1. As a workspace admin open **Settings → API → Webhooks → New webhook**.
2. URL:

   \`\`\`
   ${url}
   \`\`\`

3. Data change events: **Issues** and **Comments**. Choose one team, or all public teams.
4. Open the webhook, copy its **signing secret** and save it here (or with \`${saveSecret(id)}\`). Signed deliveries count for 60 seconds, so this server's clock has to be right.

After a pause of the project: Linear meets refusals while a project is paused, gives up after a few attempts and may switch the webhook off. Delete it, create it anew and save the new signing secret.
`
