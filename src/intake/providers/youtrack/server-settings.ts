import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter a token, people of the server can be matched with members.',
  fields: [
    { key: 'server', label: 'URL of YouTrack', hint: 'https://your-studio.youtrack.cloud' },
    { key: 'api_token', label: 'Permanent token', hint: 'With the scope YouTrack, of somebody who may read user details' },
  ],
}
