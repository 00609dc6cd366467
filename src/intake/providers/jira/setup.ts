import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, token, base_url, id }) => `## Jira Cloud and Data Center

1. As a Jira administrator open **Settings → System → WebHooks** and choose **Create a WebHook**.
2. URL:

   \`\`\`
   ${url}
   \`\`\`

3. Secret: let Jira make one, or type your own, and save the same value here as the signing secret (or with \`${saveSecret(id)}\`). From then on a delivery that is not signed with it is refused.
4. Events: issue **created**, **updated**, **deleted**, and comment **created**. A JQL filter such as \`project = GAME\` keeps other projects out.

No administrator at hand? A project's **Automation** can do the same: a rule with the action **Send web request**, method POST, custom data. Rules do not sign, so leave the signing secret empty.

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
