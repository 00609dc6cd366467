import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter a repository of Bitbucket Cloud and a token, logs of failed pipelines are fetched, and its history can be imported.',
  fields: [
    {
      key: 'server',
      label: 'API URL of the repository',
      hint: 'https://api.bitbucket.org/2.0/repositories/your-workspace/your-repository',
    },
    {
      key: 'api_token',
      label: 'Access token',
      hint: 'Of the repository or workspace. Repositories, Pull requests and Pipelines: read',
    },
  ],
}
