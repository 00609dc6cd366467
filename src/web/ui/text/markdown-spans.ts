/** Inline elements of Markdown. Only http and https are linked. */
export type Span =
  | { kind: 'text' | 'code' | 'strong' | 'emphasis'; text: string }
  | { kind: 'link'; text: string; url: string }
  | { kind: 'task'; text: string; id: string }

// No part may run past its opening character: a hostile text of a single character is read in linear time.
const SPANS =
  /(`[^`]+`|\*\*[^*]+\*\*|\*[^*\s][^*]*\*|<https?:[^<>\s]+>|\[[^\][\n]+\]\(https?:[^()\s]+\)|https?:\/\/[^\s<>"]+|(?<![\w&])#\d{1,16}\b|\bGM-\d{1,16}\b)/

export const spansOf = (text: string, tasks: boolean): Span[] =>
  text
    .split(SPANS)
    .filter((part) => part !== '')
    .flatMap((part) => spanOf(part, tasks))

function spanOf(part: string, tasks: boolean): Span[] {
  if (part.startsWith('`') && part.length > 2) return [{ kind: 'code', text: part.slice(1, -1) }]
  if (part.startsWith('**') && part.length > 4) return [{ kind: 'strong', text: part.slice(2, -2) }]
  if (part.startsWith('*') && part.endsWith('*') && part.length > 2) return [{ kind: 'emphasis', text: part.slice(1, -1) }]
  if (part.startsWith('<http')) return [{ kind: 'link', text: part.slice(1, -1), url: part.slice(1, -1) }]
  const named = /^\[([^\][\n]+)\]\((https?:[^()\s]+)\)$/.exec(part)
  if (named) return [{ kind: 'link', text: named[1]!, url: named[2]! }]
  if (/^https?:\/\//.test(part)) return bareLink(part)
  const task = tasks && /^(?:#|GM-)(\d{1,16})$/.exec(part)
  return task ? [{ kind: 'task', text: part, id: task[1]! }] : [{ kind: 'text', text: part }]
}

/** The period at the end of a sentence is not part of the link. */
function bareLink(part: string): Span[] {
  const end = /[.,;:!?)\]}'*]{0,20}$/.exec(part)![0]
  const url = part.slice(0, part.length - end.length)
  const rest: Span[] = end === '' ? [] : [{ kind: 'text', text: end }]
  return [{ kind: 'link', text: url, url }, ...rest]
}
