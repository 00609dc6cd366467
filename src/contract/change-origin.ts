/** The origin of an integrated or cherry-picked change, read from its description. */
interface Origin {
  /** Identifiers of the source changes: the first one of a chain, all of a range or list. */
  sources: string[]
  /** The author, as named by the tool that integrated it. */
  author: string | undefined
  /** `Name <address>`, in the order of the description. */
  coAuthors: string[]
}

/** Characters of a description that are read; long ones list files. */
const READ_MAX = 4_000
const SOURCES_MAX = 50

const ROBOMERGE_AUTHOR = /^#ROBOMERGE-AUTHOR:[ \t]*(\S[^\n]{0,200})/im
const ROBOMERGE_SOURCE = /^#ROBOMERGE-SOURCE:[ \t]*CL[ \t]*(\d{1,15})/im
const PICKED = /\(cherry picked from (?:commit|changelist|change|CL) ([0-9a-f]{7,64}|\d{1,15})\)/i
const CO_AUTHOR = /^Co-authored-by:[ \t]*(\S[^\n]{0,300})/gim

/** A line about an integration, and the numbers of changes in it. */
const CARRIED =
  /^[ \t]*(?:\[[^\]\n]{1,60}\][ \t]*)?(?:auto(?:matic(?:ally)?)?[ -])?(?:merg(?:e|ed|ing)|cop(?:y|ied|ying)|integrat(?:e|ed|ing|ion)|cherry[ -]?pick(?:ed|ing)?)\b[^\n]*/gim
const NUMBERS = /(?:\b(?:CLs?|changes?|changelists?)[ #:]{0,3}|@=?)(\d{1,15}(?:(?:[ ]?[,&][ ]?@?|[ ]and[ ])\d{1,15})*)/gi

/** RoboMerge and other bots write it in tags, git in the last lines, people in the first one. */
export function originOf(description: string): Origin {
  const text = description.slice(0, READ_MAX)
  const coAuthors = [...text.matchAll(CO_AUTHOR)].map(([, name]) => name!.trim())
  const author = ROBOMERGE_AUTHOR.exec(text)?.[1]?.trim()
  const told = ROBOMERGE_SOURCE.exec(text)?.[1] ?? PICKED.exec(text)?.[1]
  const lines = told === undefined ? [...text.matchAll(CARRIED)].map(([line]) => line) : []
  const numbers = lines.flatMap((line) => [...line.matchAll(NUMBERS)].flatMap(([, list]) => list!.match(/\d+/g) ?? []))
  return { sources: told === undefined ? [...new Set(numbers)].slice(0, SOURCES_MAX) : [told], author, coAuthors }
}

/** GitHub appends [bot] to the names of bot accounts. */
export const isBot = (author: string): boolean => /\[bot\]/i.test(author)

/** Whether a person other than the submitter wrote the change. */
export const isCarriedOver = (change: { author: string; description: string }): boolean => {
  const { sources, author, coAuthors } = originOf(change.description)
  return sources.length > 0 || author !== undefined || (isBot(change.author) && coAuthors.length > 0)
}

/** Who wrote a change, and who integrated it or helped. `name`: the author's name, if a member is known to have written it. */
export function writerWords(change: { author: string; description: string }, name?: string): string {
  const { author, coAuthors } = originOf(change.description)
  if (isCarriedOver(change))
    return [name ?? author, `integrated by ${change.author}`].filter((words) => words !== undefined).join(', ')
  const helpers = coAuthors.map((one) => one.replace(/\s*<[^>]*>/, ''))
  return [name ?? change.author, ...(helpers.length > 0 ? [`with ${helpers.join(', ')}`] : [])].join(', ')
}
