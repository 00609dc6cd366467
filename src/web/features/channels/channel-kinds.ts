import { CHANNEL_KIND_TABLE, CHANNEL_KINDS, type ChannelKind } from '../../../contract/channels.ts'

export const KIND_OPTIONS = CHANNEL_KINDS.map((kind) => [kind, CHANNEL_KIND_TABLE[kind].label] as const)

interface Guide {
  /** How to get its secret, step by step. */
  steps: string[]
  /** What can be done with a message later. */
  note: string
  placeholder: string
}

const NEW_ONLY = 'Messages can’t be edited later, so every update is a new message.'

export const GUIDES: Record<ChannelKind, Guide> = {
  slack: {
    steps: [
      'Create an app for your workspace at api.slack.com/apps.',
      'Under OAuth & Permissions, add the bot scopes chat:write, chat:write.public, channels:history, users:read and users:read.email. For private channels, add groups:history too.',
      'Install it to the workspace and copy the Bot User OAuth Token.',
      'Invite the bot to the channel with /invite, so that it can find its own messages.',
    ],
    note: 'One message per breakage: it is edited when the state changes, and updates are posted in its thread. People are found by email address and mentioned.',
    placeholder: 'xoxb-…',
  },
  slack_webhook: {
    steps: [
      'Create an app for your workspace at api.slack.com/apps and turn on Incoming Webhooks.',
      'Add a webhook for the channel and copy its URL.',
    ],
    note: `${NEW_ONLY} A bot can do more.`,
    placeholder: 'https://hooks.slack.com/services/…',
  },
  discord: {
    steps: [
      'In the Discord channel settings, open Integrations, then Webhooks, and create a webhook.',
      'Select Copy Webhook URL.',
    ],
    note: 'One message per breakage, edited when the state changes. Only suspects and owners are pinged.',
    placeholder: 'https://discord.com/api/webhooks/…',
  },
  teams: {
    steps: [
      'In the Teams channel, under Workflows, choose “Post to a channel when a webhook request is received”.',
      'Copy the URL shown at the end.',
    ],
    note: NEW_ONLY,
    placeholder: 'https://….logic.azure.com/workflows/…',
  },
  mattermost: {
    steps: [
      'Under Integrations, create an incoming webhook for the channel. An admin may have to allow them first.',
      'Copy its URL.',
    ],
    note: NEW_ONLY,
    placeholder: 'https://mattermost.example.com/hooks/…',
  },
  rocketchat: {
    steps: [
      'Under Administration, then Integrations, create an incoming integration for the room and enable it.',
      'Copy its webhook URL.',
    ],
    note: NEW_ONLY,
    placeholder: 'https://chat.example.com/hooks/…',
  },
}
