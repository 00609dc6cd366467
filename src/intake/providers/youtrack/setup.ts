import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## YouTrack

1. As an administrator open **Administration → Apps**, add **Webhook Triggers** from the marketplace and attach it to your project.
2. In the settings of the app for the project, enter this URL for **Issue created**, **Issue updated** and **Issue deleted**:

   \`\`\`
   ${url}
   \`\`\`

3. Leave the name and the value of the token header empty. The version we know sends the word \`secret\` instead of the value.

YouTrack sends nothing to private addresses: inside your network, this service needs a host name.

The state and the assignee of an issue are known once they change. YouTrack reports a failed delivery only in its log and does not repeat it.

The app can't sign, so turn off **Only signed deliveries**. A workflow script or a relay that signs sends the header \`X-Webhook-Signature: sha256=…\` with the hexadecimal HMAC-SHA256 of the raw body. Save its secret here (or with \`${saveSecret(id)}\`).

${ADDRESS_LIMIT}
`
