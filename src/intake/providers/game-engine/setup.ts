import { ADDRESS_LIMIT, type Setup, signedDeliveries } from '../../setup.ts'
import { enginePowerShell } from './setup-powershell.ts'
import { engineShell } from './setup-shell.ts'

export const setup: Setup = (context) => `## Unreal Engine and Unity

No engine calls anybody while it builds, but its log says everything. Whatever stands in front of the build command can read along and report cooking, shaders and packaging as they happen.

### The build's own command

\`goldmaster run\` does that on any machine with Node 20 or newer, streams the log while the build runs, and keeps what it could not send. It takes the token of an integration of the kind *Jenkins or any CI*, whichever CI you use; its page has the lines to paste. This integration is not needed then.

### Scripts, without Node

Each reports the phases, and at the end the result with the last 256,000 characters of the log.

On Linux and macOS save this as \`goldmaster-build.sh\`. It needs \`curl\`:

\`\`\`sh
${engineShell(context)}\`\`\`

On Windows save this as \`goldmaster-build.ps1\` (not tested by us on Windows):

\`\`\`powershell
${enginePowerShell(context)}\`\`\`

Unity writes its log to standard output only with \`-logFile -\`.

Job name and build number are taken from Jenkins, Buildkite, GitHub Actions or GitLab; \`GOLDMASTER_JOB\`, \`GOLDMASTER_NUMBER\`, \`GOLDMASTER_CHANGELIST\`, \`GOLDMASTER_COMMIT\`, \`GOLDMASTER_BRANCH\`, \`GOLDMASTER_PLATFORM\`, \`GOLDMASTER_TARGET\` and \`GOLDMASTER_ENGINE\` say otherwise. When your CI reports the same job and number by itself, both speak of one build.

Scripts of your own post JSON to \`${context.base_url}/webhooks/game_engine/<event>?token=…\` with \`build_number\` and \`job_name\` (or \`build_id\`, or \`build_run_id\`). For instance one failed asset:

\`\`\`sh
curl -fsS -H 'Content-Type: application/json' '${context.url.replace('/webhooks/game_engine', '/webhooks/game_engine/asset_cooked')}' --data-binary @- <<'END'
{
  "job_name": "Game-Win64",
  "build_number": 42,
  "asset": { "path": "/Game/Rocks/T_Rock", "ms": 310, "size_before": 4194304, "ok": false, "error": "missing import" },
  "cooked": 412,
  "total": 660
}
END
\`\`\`

The events: \`cooking_started\`, \`asset_cooked\`, \`shaders_started\`, \`shaders_completed\`, \`packaging_started\`, \`build_completed\`, \`build_failed\`.

${signedDeliveries(context.id)}
${ADDRESS_LIMIT}
`
