import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter a token, people of the workspace can be matched with members.',
  fields: [
    { key: 'server', label: 'URL of the API', hint: 'https://api.app.shortcut.com' },
    { key: 'api_token', label: 'API token', hint: 'Settings → API Tokens' },
  ],
}
