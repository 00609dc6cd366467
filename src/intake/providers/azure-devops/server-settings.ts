import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter your project and a token, logs of failed pipelines are fetched, the history can be imported, and people of the organization can be matched with members.',
  fields: [
    { key: 'server', label: 'URL of the project', hint: 'https://dev.azure.com/your-organization/your-project' },
    {
      key: 'api_token',
      label: 'Personal access token',
      hint: 'With the scope Build (read); for imports also Code, Work Items and Release (read); for people Graph (read)',
    },
  ],
}
