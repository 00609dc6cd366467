import { ADDRESS_LIMIT, runLines, type Setup, SIGN, saveSecret, signedDeliveries } from '../../setup.ts'

const post = (base_url: string) => String.raw`set +x
{
  printf 'header = "X-Webhook-Token: %s"\n' "$GOLDMASTER_TOKEN"
  sign <goldmaster.json
} | curl --silent --show-error --max-time 60 --retry 3 --header 'Content-Type: application/json' \
  --data-binary @goldmaster.json --config - '${base_url}/webhooks/jenkins' || true
`

/** Groovy interprets backslashes in strings, and only three quotation marks end this kind of string. */
const inGroovy = (script: string) => script.replaceAll('\\', '\\\\')

/** The end of a Jenkinsfile. Groovy encodes the JSON, so that no log can break it; the token never appears in the process list. */
export const jenkinsfile: Setup = ({ base_url }) => `post {
  always {
    script {
      def tail = sh(script: 'tail -c 256000 build.log 2>/dev/null || true', returnStdout: true)
      writeFile file: 'goldmaster.json', encoding: 'UTF-8', text: groovy.json.JsonOutput.toJson([
        job_name: env.JOB_NAME,
        build_number: env.BUILD_NUMBER,
        status: currentBuild.currentResult,
        build_url: env.BUILD_URL,
        duration_ms: currentBuild.duration,
        changelist: env.P4_CHANGELIST,
        commit: env.GIT_COMMIT,
        branch: env.GIT_BRANCH,
        logs_tail: tail
      ])
      // To sign, add: string(credentialsId: 'goldmaster-secret', variable: 'GOLDMASTER_WEBHOOK_SECRET')
      withCredentials([string(credentialsId: 'goldmaster', variable: 'GOLDMASTER_TOKEN')]) {
        sh '''
${inGroovy(SIGN + post(base_url))}'''
      }
    }
  }
}
`

/** Signs the body of a notification, for your own relays: the Notification plugin itself cannot. */
export const signedNotification: Setup = ({
  base_url,
  token,
}) => String.raw`GOLDMASTER_WEBHOOK_SECRET='the signing secret saved here'
${SIGN}
cat >notification.json <<'END'
{ "name": "Game-Win64", "url": "job/Game-Win64/", "build": { "number": 42, "phase": "COMPLETED", "status": "FAILURE" } }
END
sign <notification.json | curl -fsS --config - -H 'X-Webhook-Token: ${token}' -H 'Content-Type: application/json' \
  --data-binary @notification.json '${base_url}/webhooks/jenkins/build_notification'
`

export const setup: Setup = (context) => `## Jenkins, and any other CI

### On any CI: goldmaster run

Run the build with \`goldmaster run\`, on a machine with Node 20 or newer. The output and exit code of the build stay the same. Start, phases, log and result appear here while it runs, and are sent later if this service can't be reached.

\`\`\`sh
${runLines(context.base_url, context.token)}\`\`\`

Store the token as a secret in your CI. On Jenkins, GitHub Actions, GitLab, TeamCity, Buildkite, Azure Pipelines, CircleCI and Horde, the job, number, branch and revision are detected, so you can leave out \`--job\`. In PowerShell (not tested by us):

\`\`\`powershell
$env:GOLDMASTER_HOST = '${context.base_url}'; $env:GOLDMASTER_WEBHOOK_TOKEN = '${context.token}'
Invoke-WebRequest "$env:GOLDMASTER_HOST/goldmaster-run.mjs" -OutFile goldmaster-run.mjs
node goldmaster-run.mjs run --job Game-Win64 -- Engine\\Build\\BatchFiles\\RunUAT.bat BuildCookRun -project=Game.uproject
exit $LASTEXITCODE
\`\`\`

In a Jenkinsfile, use a **Secret text** credential with the ID \`goldmaster\` (**Manage Jenkins → Credentials**):

\`\`\`groovy
withCredentials([string(credentialsId: 'goldmaster', variable: 'GOLDMASTER_WEBHOOK_TOKEN')]) {
  withEnv(['GOLDMASTER_HOST=${context.base_url}']) {
    sh 'curl -fsSo goldmaster-run.mjs "$GOLDMASTER_HOST/goldmaster-run.mjs" && node goldmaster-run.mjs run -- ./build.sh'
  }
}
\`\`\`

The following ways are for machines without Node.

### From a Jenkinsfile, without Node

1. Under **Manage Jenkins → Credentials** add a **Secret text** with the ID \`goldmaster\` and this value:

   \`\`\`
   ${context.token}
   \`\`\`

2. Write the build log to \`build.log\`:

   \`\`\`groovy
   sh '''#!/bin/bash
   set -o pipefail
   ./build.sh 2>&1 | tee build.log'''
   \`\`\`

3. Paste this after the \`stages\`:

\`\`\`groovy
${jenkinsfile(context)}\`\`\`

If you configure a Jenkins server for this integration, console output, artifacts and times are fetched from there, and you don't need step 2. The API token is stored encrypted. A private address must be allowed in \`ALLOW_PRIVATE_HOSTS\`:

\`\`\`sh
goldmaster admin integration config ${context.id} - <<'END'
{ "server": "https://jenkins.example.com", "user": "goldmaster", "api_token": "…" }
END
\`\`\`

### With the Notification plugin

In the job's configuration, **Job Notifications → Add Endpoint**: format **JSON**, protocol **HTTP**, event **All Events**, timeout 30000, log lines **5000** (\`-1\` sends no more than 128 lines), and the URL:

\`\`\`
${context.url}
\`\`\`

The plugin can't sign, so turn off **Only signed deliveries**. A relay that signs can call \`build_notification\` instead, which always requires a signature. It may also use the header \`X-Jenkins-Signature\`. Save its secret here (or with \`${saveSecret(context.id)}\`):

\`\`\`sh
${signedNotification(context)}\`\`\`

The Generic Event plugin and Unity Build Automation (**DevOps → Build Automation → Integrations → Webhook**, content type JSON) use the same URL. If you set a secret in Unity, save it here as the signing secret (or with \`${saveSecret(context.id)}\`).

### With curl

\`\`\`sh
curl -fsS -H 'X-Webhook-Token: ${context.token}' -H 'Content-Type: application/json' '${context.base_url}/webhooks/ci' --data-binary @- <<'END'
{ "job_name": "Game-Win64", "build_number": 42, "status": "FAILURE", "changelist": "81234", "logs_tail": "…" }
END
\`\`\`

To announce a build that was only requested. The first report of the same job and code continues it:

\`\`\`sh
curl -fsS -H 'X-Webhook-Token: ${context.token}' -H 'Content-Type: application/json' '${context.base_url}/webhooks/ci/commit_trigger' --data-binary @- <<'END'
{ "job_name": "Game-Win64", "changelist": "81234", "branch": "main", "build_type": "unreal", "target_type": "shipping" }
END
\`\`\`

${signedDeliveries(context.id)}
For a piece of a log (\`/webhooks/ci/log\`), the signature covers the query string as sent, a line break, then the body.

${ADDRESS_LIMIT}
`
