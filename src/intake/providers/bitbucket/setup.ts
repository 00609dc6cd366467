import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Bitbucket Cloud

1. In the repository open **Repository settings → Webhooks → Add webhook**. A webhook of the workspace (**Workspace settings → Webhooks**) sends those of all its repositories.
2. URL:

   \`\`\`
   ${url}
   \`\`\`

3. Secret: a long random text, for example from \`openssl rand -hex 32\`. Save the same value here as the signing secret (or with \`${saveSecret(id)}\`).
4. Choose from a full list of triggers: Repository **Push**, **Build status created** and **Build status updated**; all of **Pull request** except comments; Issue **Created** and **Updated**.

A push lists at most five commits of each branch, without their files. Bitbucket does not send bodies of more than 256 KB at all. A status of Bitbucket Pipelines is a build; that of another CI is a step of the commit's build.

## Bitbucket Data Center

1. In the repository open **Repository settings → Webhooks → Create webhook**.
2. URL: the same as above. Secret: as above.
3. Events: Repository **Push**; Pull request **Opened**, **Source branch updated**, **Modified**, **Merged**, **Declined** and **Deleted**.

Or with the API, with an HTTP access token that has the permission Repository admin:

\`\`\`sh
BITBUCKET='https://bitbucket.example.com' REPO='projects/GAME/repos/starfall' SECRET="$(openssl rand -hex 32)"

curl -fsS --config - -H 'Content-Type: application/json' "$BITBUCKET/rest/api/1.0/$REPO/webhooks" -d '{
  "name": "Goldmaster", "active": true, "url": "${url}", "configuration": { "secret": "'"$SECRET"'" },
  "events": ["repo:refs_changed", "pr:opened", "pr:from_ref_updated", "pr:modified", "pr:merged", "pr:declined", "pr:deleted"] }' <<END
header = "Authorization: Bearer $BITBUCKET_TOKEN"
END
echo "signing secret: $SECRET"   # save it here, or: ${saveSecret(id)}
\`\`\`

**Test connection** sends a ping, which is ignored. Older versions report only the newest commit of a push, without its author and message. Forced pushes are not reported. After a few errors Data Center stops sending for some time, and events of that time are lost. A delivery that can't be read is therefore answered with 200 and listed as failed here.

Bitbucket does not send logs. For a repository of Cloud, enter its API URL and an access token under **Server access**: then the log of the first step of a pipeline that failed is fetched, and history can be imported. Create the token under **Repository settings → Access tokens**, with *Repositories*, *Pull requests* and *Pipelines*: read. To see logs while pipelines run, run the build with \`goldmaster run\` and the token of a *Jenkins or any CI* integration. Its page has the commands to copy.

${ADDRESS_LIMIT}
`
