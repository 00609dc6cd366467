import { type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Trello

Trello has no settings page for webhooks. You create one with an API request. Trello checks the URL first, so this service must be reachable from the internet with a valid certificate.

1. At <https://trello.com/power-ups/admin> create a Power-Up (or open yours), generate an **API key**, and select **Token** there to create your own token.
2. Save the **secret** shown next to the API key here as the signing secret (or with \`${saveSecret(id)}\`). Trello signs deliveries with it.
3. Copy the board ID from the URL \`https://trello.com/b/<short id>/…\` and run:

\`\`\`sh
KEY='your API key' TOKEN='your token' BOARD='short board ID'

ID=$(curl -fsS "https://api.trello.com/1/boards/$BOARD?fields=id&key=$KEY&token=$TOKEN" | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
curl -fsS "https://api.trello.com/1/webhooks/" \\
  --data-urlencode "key=$KEY" --data-urlencode "token=$TOKEN" \\
  --data-urlencode "idModel=$ID" --data-urlencode 'description=Goldmaster' \\
  --data-urlencode 'callbackURL=${url}'
\`\`\`

The signature covers the whole URL, including the token. If the URL of this service or the token changes, create the webhook again.
`
