import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter your GitLab server and a token, logs of failed pipelines are fetched, and people can repeat, stop and start pipelines.',
  fields: [
    { key: 'server', label: 'GitLab server', hint: 'https://gitlab.com. The operator must allow private addresses.' },
    {
      key: 'api_token',
      label: 'Access token',
      hint: 'Of the project or group, with the role Developer and the scope api; read_api is enough for logs',
    },
  ],
}
