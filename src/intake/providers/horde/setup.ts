import { ADDRESS_LIMIT, type Setup, saveSecret, signedDeliveries } from '../../setup.ts'

export const setup: Setup = ({ base_url, token, url, id }) => `## Unreal Horde

Horde does not send webhooks, so its server is polled.

1. In Horde create a service account and give it these actions in the access control list of your streams, or of everything: \`ViewJob\` and \`ViewLog\`; to repeat and start jobs also \`CreateJob\`, to stop them \`UpdateJob\`. Its token is the access token.
2. Here, under **Server access**, enter the server, the token and the streams. A stream is Horde's id and its path in Perforce: \`game-main=//Game/Main, game-release=//Game/Release\`.

Or on the machine of this service. A private address must be allowed in \`ALLOW_PRIVATE_HOSTS\`:

\`\`\`sh
goldmaster admin integration config ${id} - <<'END'
{ "server": "https://horde.example.com", "api_token": "…", "horde_streams": "game-main=//Game/Main" }
END
\`\`\`

Within five minutes the jobs of the last hour appear. After that, changes are read every 30 seconds.

A job is a build of its template. Steps and labels are the steps of the build. A job with a shelved changelist (\`preflightChange\`) is a preflight. The log of the first step that failed is fetched. Without the path of a stream, the branch of a build is unknown until its changelist is.

### Without polling

If this service can't reach Horde, a script near Horde can send jobs as the REST API shows them. A list of jobs works too:

\`\`\`sh
curl -fsS -H "Authorization: Bearer $HORDE_TOKEN" "$HORDE/api/v1/jobs/$JOB_ID" |
  curl -fsS -H 'X-Webhook-Token: ${token}' -H 'Content-Type: application/json' --data-binary @- '${base_url}/webhooks/horde'
\`\`\`

The URL with the token: \`${url}\`

To see logs while steps run, run the build with \`goldmaster run\` and the token of a *Jenkins or any CI* integration. Its page has the commands to copy.

${signedDeliveries(id)}
Save the secret with \`${saveSecret(id)}\` if you don't use the web app.

${ADDRESS_LIMIT}
`
