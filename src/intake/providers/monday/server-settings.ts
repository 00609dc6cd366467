import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter the board and a token, its items of the last months can be imported, and users of the account can be matched with members.',
  fields: [
    { key: 'server', label: 'API URL', hint: 'https://api.monday.com/v2' },
    { key: 'api_token', label: 'API token', hint: 'Personal, with the scopes boards:read and users:read' },
    { key: 'board', label: 'Board', hint: 'The number in the address of the board. Its items are imported.' },
  ],
}
