import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ base_url, url, token, id }) => `## Azure DevOps

Azure DevOps needs one subscription for each event. A project administrator can create them.

1. In the project open **Project settings → Service hooks → Create subscription → Web Hooks**.
2. Choose the event: **Code pushed**, **Pull request created**, **updated** and **merge attempted**, **Build completed**, **Run state changed**, **Run stage state changed**, **Run job state changed**, **Release deployment started** and **completed**, **Work item created**, **updated**, **deleted** and **restored**.
3. URL: \`${base_url}/webhooks/azure_devops\`, and under **HTTP headers**:

   \`\`\`
   X-Webhook-Token:${token}
   \`\`\`

   Or use the URL with the token:

   \`\`\`
   ${url}
   \`\`\`

4. **Resource details to send**: All. **Messages to send** and **Detailed messages to send**: None.

Or with the REST API, with a personal access token that has the scope *Service hooks (read and manage)*:

\`\`\`sh
ORG='https://dev.azure.com/your-organization' PROJECT_ID='the id of the project'

for event in tfs:git.push tfs:git.pullrequest.created tfs:git.pullrequest.updated tfs:git.pullrequest.merged tfs:build.complete \\
  tfs:workitem.created tfs:workitem.updated tfs:workitem.deleted tfs:workitem.restored \\
  pipelines:ms.vss-pipelines.run-state-changed-event pipelines:ms.vss-pipelines.stage-state-changed-event \\
  pipelines:ms.vss-pipelines.job-state-changed-event \\
  rm:ms.vss-release.deployment-started-event rm:ms.vss-release.deployment-completed-event; do
  curl -fsS --config - -H 'Content-Type: application/json' "$ORG/_apis/hooks/subscriptions?api-version=7.1" -d '{
    "publisherId": "'"$(echo "$event" | cut -d : -f 1)"'", "eventType": "'"$(echo "$event" | cut -d : -f 2)"'",
    "consumerId": "webHooks", "consumerActionId": "httpRequest", "publisherInputs": { "projectId": "'"$PROJECT_ID"'" },
    "consumerInputs": { "url": "${base_url}/webhooks/azure_devops", "httpHeaders": "X-Webhook-Token:${token}",
      "resourceDetailsToSend": "all", "messagesToSend": "none", "detailedMessagesToSend": "none" } }' <<END
user = ":$AZURE_DEVOPS_TOKEN"
END
done
\`\`\`

The **Test** button sends an example about the company Fabrikam, which is ignored. A run of a pipeline is a build; stages and jobs are its steps. Builds of pull requests are preflights. Commits come without their files. Check-ins of TFVC are not read.

Azure DevOps does not send logs. With the URL of the project and a token under **Server access**, the log of the first task that failed is fetched. Create the token under **User settings → Personal access tokens** for the organization: *Build (read)*; to import history also *Code*, *Work Items* and *Release (read)*; to list users *Graph (read)*. To see logs while pipelines run, run the build with \`goldmaster run\` and the token of a *Jenkins or any CI* integration. Its page has the commands to copy.

After an error Azure DevOps stops sending for some time, and events of that time are lost. A delivery that can't be read is therefore answered with 200 and listed as failed here. Don't pause the project while subscriptions are active.

Azure DevOps can't sign, so turn off **Only signed deliveries**. A relay that signs sends the header \`X-Webhook-Signature: sha256=…\` with the hexadecimal HMAC-SHA256 of the raw body. Save its secret here (or with \`${saveSecret(id)}\`).

${ADDRESS_LIMIT}
`
