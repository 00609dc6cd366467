import { ADDRESS_LIMIT, type Setup, signedDeliveries } from '../../setup.ts'
import { enginePowerShell } from './setup-powershell.ts'
import { engineShell } from './setup-shell.ts'

export const setup: Setup = (context) => `## Unreal Engine and Unity

Engines don't send webhooks, but their build log contains everything. A wrapper around the build command reads the log and reports cooking, shaders and packaging while the build runs.

### With goldmaster run

\`goldmaster run\` works on any machine with Node 20 or newer. It streams the log while the build runs and saves what it can't send. It uses the token of a *Jenkins or any CI* integration, with any CI. The page of that integration has the commands to copy, and you don't need this integration.

### With a script, without Node

These scripts report each phase and, at the end, the result with the last 256,000 characters of the log.

On Linux and macOS save this as \`goldmaster-build.sh\`. It needs \`curl\`:

\`\`\`sh
${engineShell(context)}\`\`\`

On Windows save this as \`goldmaster-build.ps1\` (not tested by us on Windows):

\`\`\`powershell
${enginePowerShell(context)}\`\`\`

Unity writes its log to standard output only with \`-logFile -\`.

Job name and build number are taken from Jenkins, Buildkite, GitHub Actions or GitLab; \`GOLDMASTER_JOB\`, \`GOLDMASTER_NUMBER\`, \`GOLDMASTER_CHANGELIST\`, \`GOLDMASTER_COMMIT\`, \`GOLDMASTER_BRANCH\`, \`GOLDMASTER_PLATFORM\`, \`GOLDMASTER_TARGET\` and \`GOLDMASTER_ENGINE\` override them. If your CI also reports the same job and number, both reports belong to one build.

Your own scripts can post JSON to \`${context.base_url}/webhooks/game_engine/<event>?token=…\` with \`build_number\` and \`job_name\` (or \`build_id\`, or \`build_run_id\`). For example, one failed asset:

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

Events: \`cooking_started\`, \`asset_cooked\`, \`shaders_started\`, \`shaders_completed\`, \`packaging_started\`, \`build_completed\`, \`build_failed\`.

${signedDeliveries(context.id)}
${ADDRESS_LIMIT}
`
