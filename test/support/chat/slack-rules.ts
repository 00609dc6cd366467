import { type Body, type Judge, listOf, openCase } from './verdict.ts'

const TOKEN = /<(?:https?:\/\/[^\s|<>]+\|[^|<>]+|@[UW][A-Z0-9]+|![a-z]+(?:\^[A-Z0-9]+)?)>/g

/** The limits of Block Kit; the total over all blocks is undocumented and was measured by its users. */
const SUM_MAX = 13_200

export const judgeSlack: Judge = (body) => {
  const { violations, hold, length, count, address, clean } = openCase()
  const shown: string[] = []
  const notified: string[] = []

  const mrkdwn = (text: string, notifies: boolean) => {
    shown.push(text)
    clean(text)
    const rest = text.replace(TOKEN, '')
    hold(!/[<>]/.test(rest), `an unescaped < or > in ${JSON.stringify(text.slice(0, 80))}`)
    hold(!/&(?!amp;|lt;|gt;)/.test(text), 'an unescaped &')
    hold(text.split('```').length % 2 === 1, 'code that is not closed')
    if (notifies)
      notified.push(...[...text.matchAll(/<(?:@([UW][A-Z0-9]+)|!([a-z]+)[^>]*)>/g)].map(([, user, group]) => (user ?? group)!))
  }
  const textObject = (given: Body, name: string, max: number, notifies: boolean) => {
    length(given?.text, `${name}.text`, max)
    hold(given?.type === 'mrkdwn' || given?.type === 'plain_text', `${name}.type`)
    if (given?.type === 'mrkdwn') mrkdwn(String(given.text), notifies)
    else shown.push(String(given?.text))
  }
  /** Every character of a text element is shown literally. */
  const richElement = (given: Body, notifies: boolean): string => {
    if (given.type === 'user') {
      hold(/^[UW][A-Z0-9]+$/.test(given.user_id), 'user.user_id')
      if (notifies) notified.push(given.user_id)
      return `<@${given.user_id}>`
    }
    hold(given.type === 'text' || given.type === 'link', `an element of type ${given.type}`)
    if (given.type === 'link') address(given.url, 'link.url', 3000)
    hold(typeof given.text === 'string' && given.text !== '' && given.text.isWellFormed(), 'an element without text')
    clean(given.text)
    return given.type === 'link' ? `${given.text} ${given.url}` : given.text
  }
  const richPart = ({ type, elements }: Body, notifies: boolean): string => {
    hold(type === 'rich_text_section' || type === 'rich_text_preformatted', `a part of type ${type}`)
    hold(listOf(elements).length > 0, 'an empty part')
    return `${listOf(elements)
      .map((element) => richElement(element, notifies))
      .join('')}${type === 'rich_text_preformatted' ? '\n' : ''}`
  }
  const block = (given: Body, notifies: boolean) => {
    if (given.type === 'section') {
      hold(given.text || given.fields, 'a section without text and fields')
      if (given.text) textObject(given.text, 'section.text', 3000, notifies)
      if (given.fields) {
        count(given.fields, 'section.fields', 10, 1)
        for (const field of listOf(given.fields)) textObject(field, 'section.fields', 2000, notifies)
      }
    } else if (given.type === 'header') {
      textObject(given.text, 'header.text', 150, false)
      hold(given.text?.type === 'plain_text', 'a header that is no plain text')
    } else if (given.type === 'context') {
      count(given.elements, 'context.elements', 10, 1)
      for (const element of listOf(given.elements)) textObject(element, 'context.elements', 3000, notifies)
    } else if (given.type === 'rich_text') {
      count(given.elements, 'rich_text.elements', 100, 1)
      shown.push(
        listOf(given.elements)
          .map((part) => richPart(part, notifies))
          .join(''),
      )
    } else if (given.type === 'actions') {
      count(given.elements, 'actions.elements', 25, 1)
      for (const { text, url } of listOf(given.elements)) {
        textObject(text, 'button.text', 75, false)
        address(url, 'button.url', 3000)
      }
    } else hold(given.type === 'divider', `a block of type ${given.type}`)
  }

  length(body.text, 'text', 4000)
  const blocks = listOf(body.blocks)
  const attachments = listOf(body.attachments)
  count(blocks, 'blocks', 50)
  count(attachments, 'attachments', 100)
  // With blocks the text is not shown.
  if (blocks.length === 0) mrkdwn(String(body.text), true)
  for (const each of blocks) block(each, true)
  for (const attachment of attachments) {
    count(attachment.blocks, 'attachment.blocks', 50, 1)
    hold(/^#[0-9a-f]{6}$/.test(attachment.color), 'attachment.color')
    for (const each of listOf(attachment.blocks)) block(each, false)
  }
  hold(JSON.stringify([blocks, attachments]).length <= SUM_MAX, `blocks of more than ${SUM_MAX} characters`)
  return { violations, text: shown.join('\n'), pings: notified }
}
