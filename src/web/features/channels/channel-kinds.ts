import { CHANNEL_KIND_TABLE, CHANNEL_KINDS, type ChannelKind } from '../../../contract/channels.ts'

export const KIND_OPTIONS = CHANNEL_KINDS.map((kind) => [kind, CHANNEL_KIND_TABLE[kind].label] as const)

interface Guide {
  /** Where its secret comes from, step by step. */
  steps: string[]
  /** What can be done with a message later. */
  note: string
  placeholder: string
}

const NEW_ONLY = 'Messages cannot be changed afterwards: what follows is a message of its own.'

export const GUIDES: Record<ChannelKind, Guide> = {
  slack: {
    steps: [
      'At api.slack.com/apps make an app for your workspace.',
      'Under OAuth & Permissions give its bot the scopes chat:write, chat:write.public, channels:history, users:read and users:read.email; for private rooms groups:history too.',
      'Install it to the workspace and copy the Bot User OAuth Token.',
      'Invite the bot to the room (/invite), so that it finds its own messages there.',
    ],
    note: 'One message follows the state of its breakage, with what comes later in its thread; people are found by their address and mentioned.',
    placeholder: 'xoxb-…',
  },
  slack_webhook: {
    steps: [
      'At api.slack.com/apps make an app for your workspace and switch Incoming Webhooks on.',
      'Add a webhook for the room and copy its address.',
    ],
    note: `${NEW_ONLY} A bot can do more.`,
    placeholder: 'https://hooks.slack.com/services/…',
  },
  discord: {
    steps: [
      'In the settings of the Discord channel, under Integrations, Webhooks, make a new webhook.',
      'Copy its address with Copy Webhook URL.',
    ],
    note: 'One message follows the state of its breakage. Only those who are meant are pinged.',
    placeholder: 'https://discord.com/api/webhooks/…',
  },
  teams: {
    steps: [
      'In the Teams channel, under Workflows, choose “Post to a channel when a webhook request is received”.',
      'Copy the address that it shows at the end.',
    ],
    note: NEW_ONLY,
    placeholder: 'https://….logic.azure.com/workflows/…',
  },
  mattermost: {
    steps: ['Under Integrations make an incoming webhook for the channel; an admin may have to allow them.', 'Copy its address.'],
    note: NEW_ONLY,
    placeholder: 'https://mattermost.example.com/hooks/…',
  },
  rocketchat: {
    steps: [
      'Under Administration, Integrations, make a new incoming integration for the room and switch it on.',
      'Copy its webhook address.',
    ],
    note: NEW_ONLY,
    placeholder: 'https://chat.example.com/hooks/…',
  },
}
