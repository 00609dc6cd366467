import { type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Linear

1. As a workspace admin open **Settings → API → Webhooks → New webhook**.
2. URL:

   \`\`\`
   ${url}
   \`\`\`

3. Data change events: **Issues** and **Comments**. Select one team, or all public teams.
4. Open the webhook, copy its **signing secret** and save it here (or with \`${saveSecret(id)}\`). Signed deliveries are valid for 60 seconds, so the clock of this server must be correct.

If the project was paused: Linear gives up after a few refused deliveries and may disable the webhook. Delete the webhook, create a new one and save its signing secret here.
`
