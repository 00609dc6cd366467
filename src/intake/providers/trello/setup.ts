import { type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Trello

Trello has no page for webhooks: they are made with one request. It asks this server for an answer first, so the address must be reachable from the internet with a valid certificate.

1. At <https://trello.com/power-ups/admin> create a Power-Up (or open yours), generate an **API key**, and follow **Token** there to get a token of your own.
2. Save the **secret** shown beside the API key here as the signing secret (or with \`${saveSecret(id)}\`): Trello signs with it.
3. Take the board's id from the address \`https://trello.com/b/<short id>/…\` and run:

\`\`\`sh
KEY='your API key' TOKEN='your token' BOARD='short id of the board'

ID=$(curl -fsS "https://api.trello.com/1/boards/$BOARD?fields=id&key=$KEY&token=$TOKEN" | sed 's/.*"id":"\\([^"]*\\)".*/\\1/')
curl -fsS "https://api.trello.com/1/webhooks/" \\
  --data-urlencode "key=$KEY" --data-urlencode "token=$TOKEN" \\
  --data-urlencode "idModel=$ID" --data-urlencode 'description=Goldmaster' \\
  --data-urlencode 'callbackURL=${url}'
\`\`\`

The address is part of the signature, token included. When this server moves or the token is replaced, make the webhook again.
`
