import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Buildkite

1. As an admin of the organization open **Settings → Notification Services → Webhook → Add**.
2. Webhook URL:

   \`\`\`
   ${url}
   \`\`\`

3. Token: choose **Send an HMAC signature in the X-Buildkite-Signature header**. The plain token, which is preset, is refused here.
4. Copy the token shown there and save it here as the signing secret (or with \`${saveSecret(id)}\`). Without it every delivery is refused.
5. Events: **build.scheduled**, **build.running**, **build.failing**, **build.finished**, **build.skipped**, **job.scheduled**, **job.started**, **job.finished**.
6. Pipelines: those of this project.

Signed deliveries count for five minutes, so this server's clock has to be right.

Buildkite does not send logs. To have failing builds explained and their logs here while they run, put \`goldmaster run\` in front of the build, with the token of an integration of the kind *Jenkins or any CI*: its page has the lines to paste. Without Node on the agent, keep the log of the step that matters and leave its end in the build's meta-data, where a value may have 100 kilobytes:

\`\`\`sh
#!/bin/bash
set -o pipefail
./build.sh 2>&1 | tee build.log
code=$?
tail -c 90000 build.log | buildkite-agent meta-data set logs_tail
exit $code
\`\`\`

A pipeline that builds from Perforce names its changelist the same way: \`buildkite-agent meta-data set changelist 81234\`.

${ADDRESS_LIMIT}
`
