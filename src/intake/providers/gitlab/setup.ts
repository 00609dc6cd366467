import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## GitLab

You need the role Maintainer in the project. A GitLab of your own sends nothing to private addresses by default: if this service has one, an administrator allows it under **Admin → Settings → Network → Outbound requests**.

1. In the project (or, with GitLab Premium, in the group) open **Settings → Webhooks → Add new webhook**.
2. URL:

   \`\`\`
   ${url}
   \`\`\`

3. Secret token: a long random text, for example from \`openssl rand -hex 32\`. Save the same value here as the signing secret (or with \`${saveSecret(id)}\`). If your GitLab offers a **signing token** (\`whsec_…\`), save that instead: then deliveries are signed.
4. Trigger: **Push events** (all branches), **Issues events**, **Merge request events**, **Job events**, **Pipeline events**, **Deployment events**, **Releases events**. Leave out confidential issues: they are not shown here.
5. Leave the **custom webhook template** empty.

Or with the API of GitLab, with a token that has the scope \`api\` and the role Maintainer:

\`\`\`sh
GITLAB='https://gitlab.example.com' PROJECT='123' SECRET="$(openssl rand -hex 32)"

curl -fsS --config - "$GITLAB/api/v4/projects/$PROJECT/hooks" \\
  --data-urlencode 'url=${url}' --data-urlencode "token=$SECRET" \\
  -d push_events=true -d issues_events=true -d merge_requests_events=true -d job_events=true \\
  -d pipeline_events=true -d deployment_events=true -d releases_events=true -d enable_ssl_verification=true <<END
header = "PRIVATE-TOKEN: $GITLAB_TOKEN"
END
echo "signing secret: $SECRET"   # save it here, or: ${saveSecret(id)}
\`\`\`

A pipeline is a build, and its jobs are the steps. Jobs of child pipelines are steps of the parent's build. Pipelines of merge requests are preflights. A pipeline that was started with the variables \`PLATFORM\`, \`CONFIGURATION\` or \`CHANGELIST\` has these values.

GitLab does not send logs. With the server and an access token under **Server access**, the log of the first job that failed is fetched when a pipeline ends. Create the token under **Settings → Access tokens** of the project (or the group): role Developer and scope \`api\`, or \`read_api\` if nothing is to be started or written there. To import history, enter the path of the project too. To see logs while pipelines run, run the build with \`goldmaster run\` and the token of a *Jenkins or any CI* integration. Its page has the commands to copy.

GitLab lists at most 20 commits of a push, and sends nothing for a push of more than three branches. It does not report that a push was forced.

GitLab does not retry deliveries, and disables a webhook after several errors in a row. A delivery that can't be read is therefore answered with 200 and listed as failed here. You can resend those that were refused while the project was paused under **Recent events**.

${ADDRESS_LIMIT}
`
