import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Shortcut

1. As an administrator open **Settings → Integrations → Webhooks → Add new webhook**.
2. Payload URL:

   \`\`\`
   ${url}
   \`\`\`

3. Secret: a long random text, for example from \`openssl rand -hex 32\`. Save the same value here as the signing secret (or with \`${saveSecret(id)}\`).

The webhook sends the stories of the whole workspace. Write \`sc-123\` in a task or paste the address of the story.

Shortcut does not document what happens after an error. A delivery that can't be read is therefore answered with 200 and listed as failed here.

${ADDRESS_LIMIT}
`
