import { type Judge, listOf, openCase } from './verdict.ts'

/** Backslashes do not prevent a mention there: only `allowed_mentions` does. */
function pingsOf(content: string, allowed: { parse?: string[]; users?: string[]; roles?: string[] }): string[] {
  const parse = allowed.parse ?? ['users']
  const everybody = parse.includes('everyone') ? [...content.matchAll(/@(everyone|here)/g)].map(([, word]) => word!) : []
  const named = [...content.matchAll(/<@(!?|&)(\d+)>/g)].flatMap(([, kind, id]) => {
    const list = kind === '&' ? 'roles' : 'users'
    return parse.includes(list) || allowed[list]?.includes(id!) ? [id!] : []
  })
  return [...everybody, ...named]
}

export const judgeDiscord: Judge = (body) => {
  const { violations, hold, length, count, address, clean } = openCase()
  const content = body.content ?? ''
  const embeds = listOf(body.embeds)
  hold(content !== '' || embeds.length > 0, 'an empty message')
  length(content, 'content', 2000, 0)
  count(embeds, 'embeds', 10)
  let sum = 0
  const shown = [content]
  const part = (text: unknown, name: string, max: number) => {
    length(text, name, max)
    shown.push(String(text))
    sum += String(text).length
  }
  for (const embed of embeds) {
    const fields = listOf(embed.fields)
    if (embed.title !== undefined) part(embed.title, 'embed.title', 256)
    if (embed.description !== undefined) part(embed.description, 'embed.description', 4096)
    if (embed.url !== undefined) {
      address(embed.url, 'embed.url')
      shown.push(embed.url)
    }
    if (embed.footer !== undefined) part(embed.footer?.text, 'embed.footer', 2048)
    count(fields, 'embed.fields', 25)
    for (const { name, value } of fields) {
      part(name, 'field.name', 256)
      part(value, 'field.value', 1024)
    }
    hold(Number.isInteger(embed.color) && embed.color >= 0 && embed.color <= 0xffffff, 'embed.color: a whole number')
  }
  hold(sum <= 6000, `embeds of ${sum} characters, more than 6000`)
  for (const text of shown) {
    clean(text)
    hold(text.split('```').length % 2 === 1, 'code that is not closed')
  }
  const allowed = body.allowed_mentions
  const users = listOf(allowed?.users)
  hold(Array.isArray(allowed?.parse), 'allowed_mentions.parse is not said')
  hold(!(allowed?.parse?.includes('users') && users.length > 0), 'allowed_mentions: users both parsed and named')
  hold(
    new Set(users).size === users.length && users.length <= 100 && users.every((id) => /^\d+$/.test(id)),
    'allowed_mentions.users',
  )
  return { violations, text: shown.join('\n'), pings: pingsOf(content, allowed ?? {}) }
}
