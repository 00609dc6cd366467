import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, token, base_url, id }) => `## Jira Cloud and Data Center

1. As a Jira administrator open **Settings → System → WebHooks** and select **Create a WebHook**.
2. URL:

   \`\`\`
   ${url}
   \`\`\`

3. Secret: let Jira generate one or enter your own, and save the same value here as the signing secret (or with \`${saveSecret(id)}\`). From then on, deliveries without a valid signature are refused.
4. Events: issue **created**, **updated**, **deleted**, and comment **created**. A JQL filter such as \`project = GAME\` excludes other projects.

If you are not an administrator, use the project's **Automation**: create a rule with the action **Send web request**, method POST, custom data. Automation rules don't sign requests, so leave the signing secret empty.

Web request URL:

\`\`\`
${base_url}/webhooks/jira
\`\`\`

Headers:

\`\`\`
X-Service-Token: ${token}
Content-Type: application/json
\`\`\`

Custom data:

\`\`\`
{
  "key": "{{issue.key}}",
  "url": "{{issue.url}}",
  "fields": {
    "summary": {{issue.summary.asJsonString}},
    "status": {{issue.status.name.asJsonString}},
    "assignee": { "accountId": "{{issue.assignee.accountId}}" },
    "updated": "{{issue.updated}}"
  }
}
\`\`\`

${ADDRESS_LIMIT}
`
