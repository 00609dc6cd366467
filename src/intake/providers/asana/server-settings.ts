import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter the project and a token, its tasks of the last months can be imported with their names and states, and users of the workspace can be matched with members.',
  fields: [
    {
      key: 'server',
      label: 'API URL of the project',
      hint: 'https://app.asana.com/api/1.0/projects/ and the number in the address of the project',
    },
    { key: 'api_token', label: 'Personal access token', hint: 'Of a member of the project' },
  ],
}
