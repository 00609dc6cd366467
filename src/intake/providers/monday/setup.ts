import { type Setup, saveSecret } from '../../setup.ts'

export const setup: Setup = ({ url, id }) => `## monday.com

1. On the board open **Integrate**, search for **Webhooks** and select a recipe, for example *When a column changes, send a webhook*.
2. URL:

   \`\`\`
   ${url}
   \`\`\`

   monday checks the URL at once and accepts at most 255 characters. This one has ${url.length}.
3. Repeat for the recipes you need: an item is created, its name changes, a column changes, it is archived or deleted.

Leave the signing secret empty: board webhooks are not signed. Only webhooks that your own app creates with the API are signed. For those, save the app's **Signing Secret** here (or with \`${saveSecret(id)}\`). From then on, unsigned deliveries are refused.

The state of an item is the label of the column with the ID \`status\`, or of any status column with "status" in its title.
`
