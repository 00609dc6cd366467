import type { Setup } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Asana

You create an Asana webhook with one API request. Asana sends its secret automatically, so there is nothing to copy. This service must be reachable from the internet over HTTPS.

1. Create a **personal access token** at <https://app.asana.com/0/my-apps>.
2. Copy the project ID (the long number) from the project's URL and run:

\`\`\`sh
TOKEN='your personal access token' PROJECT='project ID'

curl -fsS https://app.asana.com/api/1.0/webhooks \\
  -H "Authorization: Bearer $TOKEN" \\
  --data-urlencode "resource=$PROJECT" \\
  --data-urlencode 'target=${url}'
\`\`\`

The secret is accepted for one hour after you create this integration. For a new secret later, first select “Allow a new secret” on this page, or run \`goldmaster admin integration handshake ${id}\`. The two newest secrets are valid. If you have several Asana projects, create one integration for each.

Asana reports that a task was added, changed or deleted, but not its name or section. Of the assignee it sends only the ID.

If the project was paused: Asana deletes a webhook after 24 hours of failed deliveries. Make the project active, allow a new secret and run the request again.
`
