/** The text with the names of mentioned people instead of `<@7>`. */
export const withNames = (body: string, nameOf: (userId: number) => string): string =>
  body.replaceAll(/<@(\d{1,9})>/g, (_, id) => `@${nameOf(Number(id))}`)

/** The text with a mention at its end. */
export const withMention = (body: string, userId: string): string =>
  `${body}${body === '' || /\s$/.test(body) ? '' : ' '}<@${userId}> `
