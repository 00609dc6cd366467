import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## CircleCI

1. In the project open **Project Settings → Webhooks → Add Webhook**. A project has at most five.
2. Receiver URL:

   \`\`\`
   ${url}
   \`\`\`

3. Secret token: a long random text, for example from \`openssl rand -hex 32\`. Save the same value here as the signing secret (or with \`${saveSecret(id)}\`).
4. Select an event: **Workflow Completed** and **Job Completed**. Leave **Certificate verification** on.

A workflow is a build with the number of its pipeline, and jobs are its steps. CircleCI does not report that something starts: a workflow appears when its first job has ended. **Test Ping Event** is ignored.

CircleCI does not send logs. To see logs, run the build with \`goldmaster run\` and the token of a *Jenkins or any CI* integration. Its page has the commands to copy.

${ADDRESS_LIMIT}
`
