import { type Judge, listOf, openCase } from './verdict.ts'

const withoutCode = (text: string) => text.replace(/```[\s\S]*?```/g, '')

const mentionsIn = (text: string) => [...withoutCode(text).matchAll(/(?<![\p{L}\p{N}])@([\w.-]+)/gu)].map(([, name]) => name!)

/** Slack's group mentions are translated before anything else is parsed. */
const expanded = (text: string) => text.replace(/<!(channel|here|all)>/g, '@$1').replace(/<@([a-zA-Z0-9]+)>/g, '@$1')

const judge =
  (textMax: number, read: (text: string) => string, pingsInAttachments: boolean): Judge =>
  (body) => {
    const { violations, hold, length, count, address, clean } = openCase()
    const attachments = listOf(body.attachments)
    hold(body.text || attachments.length > 0, 'an empty message')
    length(body.text ?? '', 'text', textMax, 0)
    count(attachments, 'attachments', 20)
    const shown = [read(body.text ?? '')]
    const details: string[] = []
    for (const { text, title, title_link, fields, color } of attachments) {
      if (text !== undefined) length(text, 'attachment.text', textMax)
      if (title_link !== undefined) address(title_link, 'attachment.title_link')
      hold(/^#[0-9a-f]{6}$/.test(color), 'attachment.color')
      details.push(...[title, text].filter((part) => part !== undefined).map(read))
      for (const field of listOf(fields)) {
        length(field.title, 'field.title', 1000)
        length(field.value, 'field.value', 4000)
        details.push(read(field.title), read(field.value))
      }
    }
    for (const text of [...shown, ...details]) {
      clean(text)
      hold(text.split('```').length % 2 === 1, 'code that is not closed')
    }
    const pinging = pingsInAttachments ? [...shown, ...details] : shown
    return { violations, text: [...shown, ...details].join('\n'), pings: [...new Set(pinging.flatMap(mentionsIn))] }
  }

/** Longer ones are split into several messages. */
export const judgeMattermost = judge(16_383, expanded, true)
/** The default limit of its admins. */
export const judgeRocketChat = judge(5000, (text) => text, false)
