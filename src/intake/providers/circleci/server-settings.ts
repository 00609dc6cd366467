import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter a token and the project, its history can be imported.',
  fields: [
    { key: 'server', label: 'URL of CircleCI', hint: 'https://circleci.com' },
    {
      key: 'api_token',
      label: 'Personal API token',
      hint: 'Of somebody who may see the project. Project tokens are refused by this API.',
    },
    {
      key: 'circleci_project',
      label: 'Project slug',
      hint: 'gh/your-organization/your-repository, from Project Settings → Overview',
    },
  ],
}
