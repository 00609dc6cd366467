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

### Server access

With the site and a token under **Server access**, issues of the last months are imported, users are matched with members, and fixes of breakages can be written to issues.

- Cloud: create the token at https://id.atlassian.com/manage-profile/security/api-tokens with **Create API token**, and enter the email address of its owner as the user. A token *with scopes* does not work: Atlassian accepts it only at another address than your site.
- Data Center: **Profile → Personal Access Tokens**. Leave the user empty.
- The owner of the token needs *Browse projects*, to list users *Browse users and groups*, and to write fixes *Add comments*, *Edit own comments* and, with a done status, *Transition issues*.

${ADDRESS_LIMIT}
`
