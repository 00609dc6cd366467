import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## GitHub

1. In the repository (or the organization) open **Settings → Webhooks → Add webhook**.
2. Payload URL:

   \`\`\`
   ${url}
   \`\`\`

3. Content type: **application/json**.
4. Secret: a long random text, for example from \`openssl rand -hex 32\`. Save the same value here as the signing secret (or with \`${saveSecret(id)}\`).
5. **Let me select individual events**: Pushes, Pull requests, Issues, Workflow runs, Workflow jobs, Check runs, Deployment statuses, Releases.

Or with the GitHub command line:

\`\`\`sh
REPO='owner/name' SECRET="$(openssl rand -hex 32)"

gh api "repos/$REPO/hooks" -f name=web -F active=true \\
  -f 'config[url]=${url}' -f 'config[content_type]=json' -f "config[secret]=$SECRET" \\
  -f 'events[]=push' -f 'events[]=pull_request' -f 'events[]=issues' \\
  -f 'events[]=workflow_run' -f 'events[]=workflow_job' -f 'events[]=check_run' \\
  -f 'events[]=deployment_status' -f 'events[]=release'
echo "signing secret: $SECRET"   # save it here, or: ${saveSecret(id)}
\`\`\`

GitHub does not send logs. With the API URL of the repository and an access token under **Server access**, the log of the first job that failed is fetched when a run ends. To see logs while workflows run, run the build with \`goldmaster run\` and the token of a *Jenkins or any CI* integration. Its page has the commands to copy, and \`examples/github-action\` has a ready-made action.

GitHub does not retry deliveries. You can redeliver those that were refused while the project was paused under **Recent Deliveries**.

${ADDRESS_LIMIT}
`
