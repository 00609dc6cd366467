import type { ChannelKind } from '../../../contract/channels.ts'
import type { Vendor } from '../vendor.ts'
import { discord } from './discord.ts'
import { mattermost } from './mattermost.ts'
import { rocketchat } from './rocketchat.ts'
import { slack } from './slack.ts'
import { slackWebhook } from './slack-webhook.ts'
import { teams } from './teams.ts'

export const VENDORS: Record<ChannelKind, Vendor> = { slack, slack_webhook: slackWebhook, discord, teams, mattermost, rocketchat }
