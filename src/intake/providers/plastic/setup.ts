import { ADDRESS_LIMIT, type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## Unity Version Control (Plastic SCM)

The server calls this URL after every check-in. You need the permission *mktrigger*.

1. Run this on any machine with the client \`cm\`:

   \`\`\`sh
   cm trigger create after-checkin "Goldmaster" "webtrigger ${url}" --server=studio@cloud
   \`\`\`

   Replace \`studio@cloud\` with your organization, or with \`host:8087\` of your own server. If only one repository belongs to this project, add \`--filter="rep:game"\`.
2. Check something in. It appears within seconds. \`cm trigger list after-checkin\` shows the trigger.

A changeset has the repository in front of its number: \`game@61\`. If your CI builds it, report that as the commit, for example with \`GOLDMASTER_COMMIT="game@$PLASTIC_CHANGESET_NUMBER"\` for \`goldmaster run\`. A number alone would be read as a changelist of Perforce.

Check-ins that can't be read are answered with 200 and listed as failed here, because people would see an error as one of their check-in. Labels, shelves and code reviews are ignored.

The server can't send headers and can't sign, so turn off **Only signed deliveries**. A relay that signs sends the header \`X-Webhook-Signature: sha256=…\` with the hexadecimal HMAC-SHA256 of the raw body. Save its secret here (or with \`${saveSecret(id)}\`).

${ADDRESS_LIMIT}
`
