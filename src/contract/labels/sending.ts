import type { ChannelMessageStatus, ChannelStatus, MessageSubject, NotificationWay, RuleSubject } from '../channels.ts'
import type { DeliveryOutcome, ProviderCategory, WebhookMessageStatus, WebhookStatus } from '../sets.ts'
import { labels, terms } from './term.ts'

/** Labels of deliveries from tools and of messages to people, channels and webhooks. */
export const SENDING_TERMS = {
  provider_category: labels<ProviderCategory>({
    version_control: 'Version control',
    builds: 'Builds',
    stores: 'Stores',
    trackers: 'Trackers',
  }),
  delivery_outcome: terms<DeliveryOutcome>({
    processed: { label: 'Processed' },
    accepted: { label: 'Accepted', description: 'It is still being processed.' },
    duplicate: { label: 'Duplicate', description: 'It was received before.' },
    stale: { label: 'Stale', description: 'A newer report had already arrived.' },
    ignored: { label: 'Ignored', description: 'Goldmaster does not use this kind of event.' },
    failed: { label: 'Failed' },
  }),
  subscription_status: terms<WebhookStatus>({
    active: { label: 'Active' },
    paused: { label: 'Paused', description: 'Paused. Events are kept and sent after you resume it.' },
    gone: {
      label: 'Gone',
      description: 'Disabled because the URL answered 410 Gone. Resume it when the receiver is back.',
    },
    failing: {
      label: 'Disabled',
      description: 'Disabled after 5 days of failed deliveries. Resume it to send the pending messages.',
    },
  }),
  outgoing_status: labels<WebhookMessageStatus>({ waiting: 'Pending', delivered: 'Delivered', failed: 'Failed' }),
  channel_status: labels<ChannelStatus>({ active: 'Active', paused: 'Paused', broken: 'Disabled' }),
  channel_message_status: terms<ChannelMessageStatus>({
    waiting: { label: 'Pending' },
    sending: { label: 'Sending' },
    sent: { label: 'Sent' },
    uncertain: { label: 'Uncertain', description: 'The vendor did not confirm it. It may have arrived.' },
    failed: { label: 'Failed' },
    skipped: { label: 'Skipped', description: 'It was no longer true when it was due.' },
  }),
  /** What a channel rule sends messages about. */
  rule_subject: terms<RuleSubject>({
    breakage: { label: 'Breakages' },
    breakage_fixed: { label: 'Fixed breakages, in a separate message' },
    approval: { label: 'Assets waiting for approval' },
    deployment: { label: 'Deployments' },
    budget: { label: 'Measures over their budget' },
    last_known_good: { label: 'Branches with an old last known good' },
  }),
  message_subject: labels<MessageSubject>({
    breakage: 'Breakage',
    breakage_fixed: 'Fixed breakage',
    breakage_reopened: 'Reopened breakage',
    breakage_flickering: 'Flaky breakage',
    approval: 'Assets waiting for approval',
    deployment: 'Deployment',
    deployment_live: 'Deployment that is live',
    deployment_rejected: 'Rejected deployment',
    deployment_rolled_back: 'Deployment that was rolled back',
    budget: 'Measure over its budget',
    last_known_good: 'Last known good',
    task: 'Task',
    comment: 'Comment that mentions somebody',
    test: 'Test message',
  }),
  notification_way: labels<NotificationWay>({ in_app: 'In the app', mail: 'By email', chat: 'In chat' }),
} as const
