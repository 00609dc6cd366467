import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter a token, people of the workspace can be matched with members.',
  fields: [
    { key: 'server', label: 'URL of the API', hint: 'https://api.clickup.com' },
    { key: 'api_token', label: 'Personal API token', hint: 'It starts with pk_' },
  ],
}
