import type { ServerSettings } from '../../provider.ts'
import { START_PARAMETERS } from '../ci-action.ts'

export const server: ServerSettings = {
  why: 'Horde does not send webhooks. Enter your Horde server, and its jobs are polled every 30 seconds. People can repeat, stop and start jobs.',
  fields: [
    { key: 'server', label: 'Horde server', hint: 'https://horde.example.com. The operator must allow private addresses.' },
    {
      key: 'api_token',
      label: 'Token',
      hint: 'Of a service account that may view jobs and logs, and create and abort jobs if people should do that here',
    },
    { key: 'horde_streams', label: 'Streams', hint: 'game-main=//Game/Main, game-release=//Game/Release' },
    START_PARAMETERS,
  ],
}
