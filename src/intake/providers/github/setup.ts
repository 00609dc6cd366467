import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## GitHub

1. In the repository (or the organization) open **Settings → Webhooks → Add webhook**.
2. Payload URL:

   \`\`\`
   ${url}
   \`\`\`

3. Content type: **application/json**.
4. Secret: a long random text, for instance from \`openssl rand -hex 32\`. Save the same value here as the signing secret (or with \`${saveSecret(id)}\`).
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

GitHub does not send logs. To have failing workflows explained and their logs here while they run, put \`goldmaster run\` in front of the build, with the token of an integration of the kind *Jenkins or any CI*: its page has the lines to paste, and \`examples/github-action\` a ready action.

GitHub does not repeat a delivery by itself: what was refused while the project was paused can be sent again under **Recent Deliveries**.

${ADDRESS_LIMIT}
`
