import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter the board and a token, its cards of the last months can be imported.',
  fields: [
    {
      key: 'server',
      label: 'API URL of the board',
      hint: 'https://api.trello.com/1/boards/ and the id in the address of the board, such as nC8QJJoZ',
    },
    { key: 'api_key', label: 'API key', hint: 'Of a Power-Up at trello.com/power-ups/admin' },
    { key: 'api_token', label: 'Token', hint: 'With the scope read, of a user who sees the board' },
  ],
}
