import { type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## monday.com

1. On the board open **Integrate**, search for **Webhooks** and pick a recipe, for instance *When a column changes, send a webhook*.
2. URL:

   \`\`\`
   ${url}
   \`\`\`

   monday checks it at once and takes at most 255 characters; this one has ${url.length}.
3. Repeat for the recipes you need: an item is created, its name changes, a column changes, it is archived or deleted.

Leave the signing secret empty: webhooks of a board are not signed. Only webhooks that an app of yours makes through the API carry a signature. For those save the app's **Signing Secret** here (or with \`${saveSecret(id)}\`); unsigned ones are refused from then on.

The state of an item is the label of the column with the id \`status\`, or of any status column with "status" in its title.
`
