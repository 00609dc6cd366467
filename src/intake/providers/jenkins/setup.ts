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

/** The end of a Jenkinsfile. Groovy encodes the JSON, so that no log can break it; the token never shows in the list of processes. */
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

/** Signs the body of a notification, for relays of your own: the Notification plugin itself cannot. */
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

### On any CI: the build's own command

Put \`goldmaster run\` in front of the build, on a machine with Node 20 or newer. Its output and exit code stay what they are; start, phases, log and end are here while it runs, whether this service can be reached in between or not.

\`\`\`sh
${runLines(context.base_url, context.token)}\`\`\`

Keep the token in the CI's own store of secrets. Job, number, branch and revision are found by themselves on Jenkins, GitHub Actions, GitLab, TeamCity, Buildkite, Azure Pipelines, CircleCI and Horde, so that \`--job\` can be left out there. In PowerShell (not tested by us):

\`\`\`powershell
$env:GOLDMASTER_HOST = '${context.base_url}'; $env:GOLDMASTER_WEBHOOK_TOKEN = '${context.token}'
Invoke-WebRequest "$env:GOLDMASTER_HOST/goldmaster.mjs" -OutFile goldmaster.mjs
node goldmaster.mjs run --job Game-Win64 -- Engine\\Build\\BatchFiles\\RunUAT.bat BuildCookRun -project=Game.uproject
exit $LASTEXITCODE
\`\`\`

In a Jenkinsfile the token is a **Secret text** with the id \`goldmaster\` (**Manage Jenkins → Credentials**):

\`\`\`groovy
withCredentials([string(credentialsId: 'goldmaster', variable: 'GOLDMASTER_WEBHOOK_TOKEN')]) {
  withEnv(['GOLDMASTER_HOST=${context.base_url}']) {
    sh 'curl -fsSo goldmaster.mjs "$GOLDMASTER_HOST/goldmaster.mjs" && node goldmaster.mjs run -- ./build.sh'
  }
}
\`\`\`

The other ways are for machines without Node.

### From a Jenkinsfile, without Node

1. Under **Manage Jenkins → Credentials** add a **Secret text** with the id \`goldmaster\` and this value:

   \`\`\`
   ${context.token}
   \`\`\`

2. Let the build leave its log in \`build.log\`:

   \`\`\`groovy
   sh '''#!/bin/bash
   set -o pipefail
   ./build.sh 2>&1 | tee build.log'''
   \`\`\`

3. Paste this after the \`stages\`:

\`\`\`groovy
${jenkinsfile(context)}\`\`\`

Where this integration has a Jenkins server configured, console, artifacts and times are fetched from there, and step 2 is not needed. The API token is kept encrypted; a private address must be allowed in \`ALLOW_PRIVATE_HOSTS\`:

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

The plugin cannot sign, so it needs **Only signed deliveries** off. A relay that signs can call \`build_notification\` instead, which always requires a signature (also accepted there and everywhere below: the header \`X-Jenkins-Signature\`). Its secret is saved here (or with \`${saveSecret(context.id)}\`):

\`\`\`sh
${signedNotification(context)}\`\`\`

The Generic Event plugin and Unity Build Automation (**DevOps → Build Automation → Integrations → Webhook**, content type JSON) take the same URL. For Unity, a secret set there is saved here as the signing secret (or with \`${saveSecret(context.id)}\`).

### From anything that has curl

\`\`\`sh
curl -fsS -H 'X-Webhook-Token: ${context.token}' -H 'Content-Type: application/json' '${context.base_url}/webhooks/ci' --data-binary @- <<'END'
{ "job_name": "Game-Win64", "build_number": 42, "status": "FAILURE", "changelist": "81234", "logs_tail": "…" }
END
\`\`\`

A build that is only asked for, to be adopted by the first report of the same job and code:

\`\`\`sh
curl -fsS -H 'X-Webhook-Token: ${context.token}' -H 'Content-Type: application/json' '${context.base_url}/webhooks/ci/commit_trigger' --data-binary @- <<'END'
{ "job_name": "Game-Win64", "changelist": "81234", "branch": "main", "build_type": "unreal", "target_type": "shipping" }
END
\`\`\`

${signedDeliveries(context.id)}
A piece of a log (\`/webhooks/ci/log\`) is signed together with the query of its address, which says where it belongs: the query as it is sent, a line break, then the body.

${ADDRESS_LIMIT}
`
