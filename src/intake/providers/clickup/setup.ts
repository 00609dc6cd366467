import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## ClickUp

Webhooks are created with the API. You need a personal token (**Settings → Apps**) and the number of your workspace, which is in the address of every page.

\`\`\`sh
WORKSPACE='9000000000'

curl -fsS --config - -H 'Content-Type: application/json' "https://api.clickup.com/api/v2/team/$WORKSPACE/webhook" -d '{
  "endpoint": "${url}",
  "events": ["taskCreated", "taskUpdated", "taskDeleted", "taskStatusUpdated", "taskAssigneeUpdated"] }' <<END
header = "Authorization: $CLICKUP_TOKEN"
END
\`\`\`

The reply has the webhook's \`secret\`. Save it here as the signing secret (or with \`${saveSecret(id)}\`). Add \`"space_id"\`, \`"folder_id"\` or \`"list_id"\` to the request for a part of the workspace.

A webhook belongs to the person whose token created it, and sends nothing once that person is disabled. ClickUp reports only what changed: title and state of a task are unknown until they change once. The automation *Call webhook* sends another body, which can't be read.

ClickUp suspends a webhook after 100 failed deliveries. A delivery that can't be read is therefore answered with 200 and listed as failed here. Don't pause the project while the webhook is active.

${ADDRESS_LIMIT}
`
