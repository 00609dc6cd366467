import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Gitea, Forgejo and Gogs

1. In the repository (or the organization) open **Settings → Webhooks → Add webhook** and choose **Gitea** (or **Forgejo**, **Gogs**).
2. Target URL:

   \`\`\`
   ${url}
   \`\`\`

3. HTTP method: **POST**. Content type: **application/json**.
4. Secret: a long random text, for example from \`openssl rand -hex 32\`. Save the same value here as the signing secret (or with \`${saveSecret(id)}\`).
5. Trigger on **Custom events**: Push, Delete, Issues (with assignments, labels and milestones), Pull requests (with synchronizations), Releases, and Workflow runs and jobs if your version has them.
6. Branch filter: \`*\`.

Or with the API, with a token of an administrator of the repository that has the scope \`write:repository\`. Versions without workflow events ignore these two:

\`\`\`sh
GITEA='https://gitea.example.com' REPO='owner/name' SECRET="$(openssl rand -hex 32)"

curl -fsS --config - -H 'Content-Type: application/json' "$GITEA/api/v1/repos/$REPO/hooks" -d '{
  "type": "gitea", "active": true, "branch_filter": "*",
  "events": ["push", "delete", "issues", "issue_assign", "issue_label", "issue_milestone",
    "pull_request", "pull_request_assign", "pull_request_label", "pull_request_milestone", "pull_request_sync", "release",
    "workflow_run", "workflow_job"],
  "config": { "url": "${url}", "content_type": "json", "secret": "'"$SECRET"'" } }' <<END
header = "Authorization: token $GITEA_TOKEN"
END
echo "signing secret: $SECRET"   # save it here, or: ${saveSecret(id)}
\`\`\`

By default Gitea and Forgejo send nothing to private addresses. If this service has one, or your server may reach only a few hosts, add its host to \`ALLOWED_HOST_LIST\` of its section \`[webhook]\`.

Gitea does not send logs, and does not report that a push was forced. To see logs, run the build with \`goldmaster run\` and the token of a *Jenkins or any CI* integration. Its page has the commands to copy.

Deliveries are not retried. You can send those that were refused while the project was paused again under **Recent deliveries**.

${ADDRESS_LIMIT}
`
