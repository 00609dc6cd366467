import type { Setup } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Asana

Asana's webhooks are made with one request, and the secret is agreed upon in the same moment: there is nothing to copy. The address must be reachable from the internet by https.

1. Create a **personal access token** at <https://app.asana.com/0/my-apps>.
2. Take the project's id from its address (the long number) and run:

\`\`\`sh
TOKEN='your personal access token' PROJECT='id of the project'

curl -fsS https://app.asana.com/api/1.0/webhooks \\
  -H "Authorization: Bearer $TOKEN" \\
  --data-urlencode "resource=$PROJECT" \\
  --data-urlencode 'target=${url}'
\`\`\`

The secret is taken within an hour after this integration was made. For a new one later, first choose “Allow a new secret” on this page, or run \`goldmaster admin integration handshake ${id}\`; the newest two are kept. For several projects of Asana make an integration each.

Asana tells that a task was added, changed or deleted, not its name or section; only the assignee's id travels along.

After a pause of the project: Asana deletes a webhook that got no good answer for 24 hours. Allow a new handshake and run the request again once the project is active.
`
