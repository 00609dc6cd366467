import { type Body, type Judge, listOf, openCase } from './verdict.ts'

const BYTES_MAX = 28 * 1024

export const judgeTeams: Judge = (body, bytes) => {
  const { violations, hold, length, count, address, clean } = openCase()
  hold(bytes <= BYTES_MAX, `${bytes} bytes, more than ${BYTES_MAX}`)
  hold(body.type === 'message', 'type')
  count(body.attachments, 'attachments', 1, 1)
  const [attachment] = listOf(body.attachments)
  hold(attachment?.contentType === 'application/vnd.microsoft.card.adaptive', 'contentType')
  const card = attachment?.content ?? {}
  hold(card.type === 'AdaptiveCard' && Number(card.version) <= 1.5, 'no card that Teams knows')
  const entities = listOf(card.msteams?.entities)
  const shown: string[] = []
  const text = (given: unknown, name: string) => {
    length(given, name, BYTES_MAX)
    shown.push(String(given))
    let rest = String(given)
    for (const entity of entities) rest = rest.replaceAll(entity.text, '')
    clean(rest)
    hold(!/<\/?at\b/i.test(rest), `a tag in ${JSON.stringify(rest.slice(0, 80))}`)
    hold(!rest.includes('{{'), 'a function')
  }
  const element = (given: Body) => {
    if (given.type === 'TextBlock') text(given.text, 'TextBlock.text')
    else if (given.type === 'FactSet') {
      count(given.facts, 'FactSet.facts', 100, 1)
      for (const { title, value } of listOf(given.facts)) {
        text(title, 'fact.title')
        text(value, 'fact.value')
      }
    } else hold(false, `an element of type ${given.type}`)
  }
  count(card.body, 'body', 100, 1)
  for (const each of listOf(card.body)) element(each)
  for (const { type, title, url } of listOf(card.actions)) {
    hold(type === 'Action.OpenUrl', `${type} does not work in a webhook`)
    text(title, 'action.title')
    address(url, 'action.url')
    shown.push(url)
  }
  for (const entity of entities)
    hold(
      shown.some((each) => each.includes(entity.text)),
      'a mention that stands nowhere',
    )
  return { violations, text: shown.join('\n'), pings: entities.map((entity) => entity.mentioned?.id) }
}
