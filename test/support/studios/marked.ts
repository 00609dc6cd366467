import type { Provider } from '../../../src/intake/provider.ts'
import { providers } from '../../../src/intake/providers/index.ts'
import { Unreadable } from '../../../src/intake/reading.ts'
import { CREDENTIALS, isMarked } from '../files/credentials.ts'
import type { Sample } from '../files/samples.ts'

/** Texts with a marked address or credential, put wherever a tool may write one. */

const HOST = 'marked.example'
const ADDRESSES = [
  `leak@${HOST}`,
  `leak%40${HOST}`,
  `leak&#64;${HOST}`,
  `leak&commat;${HOST}`,
  `leak＠${HOST}`,
  `leak\\u0040${HOST}`,
  `Leak <leak@${HOST}>`,
]
const MARKS = [...ADDRESSES, ...Object.values(CREDENTIALS)]
const LINK_MARKS = MARKS.filter((mark) => /^https?:\S+$/.test(mark))

let turn = 0
/** The text with a mark added; a different one each time, of those that keep it short enough. */
export function marked(text: string, most = Number.POSITIVE_INFINITY): string {
  turn++
  if (/^https?:\S+$/.test(text)) return LINK_MARKS[turn % LINK_MARKS.length]!
  const fitting = MARKS.filter((mark) => text.length + mark.length < most)
  return `${text} ${fitting[turn % fitting.length]}`
}

/** The marks that are left in a text. */
export const leaksIn = (text: string): string[] =>
  text
    .split(/\\n|[\n,{}]/)
    .filter((part) => part.includes(HOST) || isMarked(part))
    .map((part) => part.slice(0, 200))

type Path = (string | number)[]

function* leaves(value: unknown, path: Path = []): Generator<Path> {
  if (typeof value === 'string') yield path
  else if (typeof value === 'object' && value !== null)
    for (const [key, inner] of Object.entries(value)) yield* leaves(inner, [...path, key])
}

const change = (value: unknown, [key, ...rest]: Path, to: (text: string) => string): unknown => {
  if (key === undefined) return to(value as string)
  const copy = (Array.isArray(value) ? [...value] : { ...(value as object) }) as Record<string, unknown>
  copy[key] = change(copy[key], rest, to)
  return copy
}

/** Marks as many texts of a payload as possible: values of a closed set stay, or it would not be readable. */
export function markedSample(sample: Sample): Sample {
  const provider = Object.values(providers).find(({ paths }) => paths.includes(sample.path))!
  const before = kindsOf(provider, sample, sample.body)
  let body = sample.body
  for (const path of leaves(sample.body)) {
    const next = change(body, path, (text) => marked(text))
    if (kindsOf(provider, sample, next) === before) body = next
  }
  return { ...sample, body }
}

function kindsOf(provider: Provider, { path, headers }: Sample, body: unknown): string {
  const raw = Buffer.from(JSON.stringify(body) ?? '')
  try {
    return provider
      .read({ path, headers, raw, body, url: '', received: new Date(), config: {} })
      .map((fact) => `${fact.kind} ${'status' in fact ? fact.status : ''}`)
      .join()
  } catch (error) {
    if (error instanceof Unreadable) return 'unreadable'
    throw error
  }
}
