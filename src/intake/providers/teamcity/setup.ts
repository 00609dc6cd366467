import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ base_url, url, token, id }) => `## TeamCity

### With TeamCity's own webhooks

In the project (or a parent project) open **Edit project → Parameters** and add these, for example as somebody with the role Project administrator. Subprojects inherit them.

\`\`\`
teamcity.internal.webhooks.enable=true
teamcity.internal.webhooks.url=${base_url}/webhooks/teamcity
teamcity.internal.webhooks.username=goldmaster
teamcity.internal.webhooks.password=${token}
teamcity.internal.webhooks.events=BUILD_TYPE_ADDED_TO_QUEUE;BUILD_STARTED;CHANGES_LOADED;BUILD_FINISHED;BUILD_INTERRUPTED;BUILD_PROBLEMS_CHANGED;MARKED_AS_SUCCESSFUL
teamcity.internal.webhooks.retry_count=3
\`\`\`

Give the parameter with the password the type **Password**. Don't reduce the sent fields.

Or with the REST API of TeamCity:

\`\`\`sh
TEAMCITY='https://teamcity.example.com' PROJECT='Game'

set_parameter() {
  curl -fsS --config - -X PUT -H 'Content-Type: text/plain' --data-binary "$2" \\
    "$TEAMCITY/app/rest/projects/id:$PROJECT/parameters/teamcity.internal.webhooks.$1" <<END
header = "Authorization: Bearer $TEAMCITY_TOKEN"
END
}
set_parameter url '${base_url}/webhooks/teamcity'
set_parameter username goldmaster
set_parameter password '${token}'
set_parameter events 'BUILD_TYPE_ADDED_TO_QUEUE;BUILD_STARTED;CHANGES_LOADED;BUILD_FINISHED;BUILD_INTERRUPTED;BUILD_PROBLEMS_CHANGED;MARKED_AS_SUCCESSFUL'
set_parameter retry_count 3
set_parameter enable true
\`\`\`

### With the plugin tcWebHooks

Add a webhook with the payload format **JSON** and the template **Legacy Webhook**, all build events, and the URL:

\`\`\`
${url}
\`\`\`

### What is reported

A build of a configuration is a build of the job \`project/configuration\`. Personal builds are preflights. The changelist or commit is that of the VCS root; if a build has several of a kind, none is chosen. A build number such as \`5535 - CL 123456\` also names the changelist.

TeamCity does not send logs. With the server and an access token under **Server access**, the log of a failed build is fetched. Create the token under **Your profile → Access Tokens**, best as a user that was created for this service: the role Project viewer is enough for logs and history, Project developer also repeats, stops and starts builds. To see logs while builds run, run the build with \`goldmaster run\` and the token of a *Jenkins or any CI* integration. Its page has the commands to copy.

TeamCity can't sign, so turn off **Only signed deliveries**. A relay that signs sends the header \`X-Webhook-Signature: sha256=…\` with the hexadecimal HMAC-SHA256 of the raw body. Save its secret here (or with \`${saveSecret(id)}\`).

${ADDRESS_LIMIT}
`
