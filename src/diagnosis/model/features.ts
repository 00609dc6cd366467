import { branchAround, type Log, plainText } from '../log.ts'
import type { Verdict } from '../stages/classify.ts'
import type { Ranked } from '../stages/rank.ts'
import type { Segments } from '../stages/segment.ts'

/** Words and pairs of words are hashed into this many buckets: nothing of a training log can be read back. */
export const BUCKETS = 4096

/** The weight of each bucket, by its number. */
export type Features = ReadonlyMap<number, number>

const bucketOf = (name: string): number => {
  let hash = 0x811c9dc5
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193)
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d)
  return (hash ^ (hash >>> 13)) & (BUCKETS - 1)
}

/** The important part of a line is at its beginning. */
const READ = 300
/** Where a file lies says nothing about what is wrong with it. */
const FOLDERS = /[^\s'"`(<=]*[\\/]/g
const wordsOf = (text: string): string[] =>
  text
    .slice(0, READ)
    .replace(FOLDERS, ' ')
    .toLowerCase()
    .match(/[a-z][a-z+#_]{1,30}|[!✗✖✘×●]/g) ?? []

const pairsOf = (words: readonly string[]) => words.slice(1).map((word, i) => `${words[i]} ${word}`)

/** Four-letter sequences match despite endings and compounds. */
const piecesOf = (words: readonly string[]) =>
  words.flatMap((word) => (word.length < 6 ? [] : Array.from({ length: word.length - 3 }, (_, i) => word.slice(i, i + 4))))

const EVIDENCE_LINES = 40
const TAIL = 60

/** The features of a category: the line of the cause, its block, the failed command, the end of the log, and the rules' result. */
export function featuresOf(log: Log, segments: Segments, ranked: readonly Ranked[], verdict: Verdict): Features {
  const features = new Map<number, number>()
  // Every source has the same total weight, however many words it has.
  const add = (source: string, names: Iterable<string>, weight: number) => {
    const distinct = [...new Set(names)]
    const each = weight / Math.sqrt(Math.max(1, distinct.length))
    for (const name of distinct) {
      const bucket = bucketOf(`${source} ${name}`)
      features.set(bucket, (features.get(bucket) ?? 0) + each)
    }
  }
  const lead = verdict.lead === null ? [] : wordsOf(plainText(log, verdict.lead))
  const block = verdict.lines.slice(0, EVIDENCE_LINES).map((index) => wordsOf(plainText(log, index)))
  const { failing } = segments
  const command = failing ? wordsOf(`${failing.command} ${failing.reported}`) : []
  const [, last] = branchAround(log, verdict.lead ?? log.text.length - 1)
  const end = failing?.end ?? last
  const first = Math.max(failing?.start ?? 0, end - TAIL)
  const tail = log.text.slice(first, end + 1).map((_, i) => wordsOf(plainText(log, first + i)))
  add('lead', [...lead, ...pairsOf(lead)], 1)
  add('piece', piecesOf(lead), 0.7)
  add(
    'block',
    block.flatMap((words) => [...words, ...pairsOf(words)]),
    1,
  )
  add('command', [...command, ...pairsOf(command)], 1)
  add('tail', tail.flat(), 0.7)
  if (verdict.hit) add('rule', [verdict.hit.rule.id], 0.7)
  if (verdict.hit) add('said', [verdict.hit.rule.category], 1.5)
  add(
    'ranked',
    ranked.slice(0, 4).map(({ lead: { rule } }) => `${rule.category} ${rule.role}`),
    0.7,
  )
  return features
}
