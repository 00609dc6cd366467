import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Buildkite

1. As an admin of the organization open **Settings → Notification Services → Webhook → Add**.
2. Webhook URL:

   \`\`\`
   ${url}
   \`\`\`

3. Token: select **Send an HMAC signature in the X-Buildkite-Signature header**. The default, a plain token, is refused.
4. Copy the token shown there and save it here as the signing secret (or with \`${saveSecret(id)}\`). Without it, every delivery is refused.
5. Events: **build.scheduled**, **build.running**, **build.failing**, **build.finished**, **build.skipped**, **job.scheduled**, **job.started**, **job.finished**.
6. Pipelines: select those of this project.

Signed deliveries are valid for five minutes, so the clock of this server must be correct.

Buildkite does not send logs. Enter an API token under **Server access** to have those of failed builds fetched and investigated. To see logs while builds run, run the build with \`goldmaster run\` and the token of a *Jenkins or any CI* integration. Its page has the commands to copy. Without both, save the end of the log as build meta-data (up to 100 kB):

\`\`\`sh
#!/bin/bash
set -o pipefail
./build.sh 2>&1 | tee build.log
code=$?
tail -c 90000 build.log | buildkite-agent meta-data set logs_tail
exit $code
\`\`\`

A pipeline that builds from Perforce sets its changelist the same way: \`buildkite-agent meta-data set changelist 81234\`.

${ADDRESS_LIMIT}
`
