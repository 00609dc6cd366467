import type { ChangeFact } from '../../facts.ts'
import type { Asked, History, HistoryReply, HistoryRequest } from '../../history/history.ts'
import { type Json, number, objects, text, word } from '../../reading.ts'
import { changeIn, reviewPage, reviewSiteIn } from './describe.ts'

const PAGE = 100
/** How many changelists are described by one command. */
const AT_ONCE = 20
/** More are not counted in a preview: each takes nine values of the 400,000 that a command may print. */
const COUNTED_MAX = 40_000
const DAY_MS = 86_400_000

/** A command of p4, word by word. */
const command = (...words: string[]): HistoryRequest => ({ path: words.join('\n') })

/** Below which the changelists of the project are, as p4 expects it: `//game/main/...`; none if one of them is wrong. */
export function depotPaths({ depot_paths }: Readonly<Json>): string[] {
  const paths = (text(depot_paths) ?? '').split(/[,\n]/).flatMap((path) => path.trim() || [])
  // Revisions are ours to add.
  if (!paths.every((path) => /^\/\/[^#@\0]+$/.test(path))) return []
  return paths.map((path) => (path.endsWith('...') ? path : `${path.replace(/\/+$/, '')}/...`))
}

/** The server takes times in its own zone, which is unknown: a day more is requested. */
const startOf = (since: string) =>
  new Date(Date.parse(since) - DAY_MS).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ':')

const pathOf = ({ cursor, config }: Pick<Asked, 'cursor' | 'config'>) => {
  const paths = depotPaths(config)
  const index = number(cursor.path) ?? 0
  return { path: paths[index] ?? paths[0] ?? '', next: index + 1 < paths.length ? { path: index + 1 } : undefined, index }
}

const range = (path: string, since: string, until: string) => `${path}@${startOf(since)},@${until}`

/** As the server lists them: newest first. */
const numbersIn = ({ body }: Pick<HistoryReply, 'body'>): string[] => [
  ...new Set(objects(body).flatMap(({ change }) => (/^[1-9]\d{0,14}$/.test(word(change) ?? '') ? [word(change)!] : []))),
]

const describing = (changelists: readonly string[]) => command('describe', '-s', ...changelists)

function groupsOf(changelists: readonly string[]): string[][] {
  const groups: string[][] = []
  for (let first = 0; first < changelists.length; first += AT_ONCE) groups.push(changelists.slice(first, first + AT_ONCE))
  return groups
}

export const history: History = {
  settings: ['depot_paths'],
  about: {
    path: command('property', '-l', '-n', 'P4.Swarm.URL').path,
    read: (body) => ({ site: reviewSiteIn(objects(body)) ?? null }),
  },
  parts: [
    {
      name: 'changes',
      needs: 'list access to the depot paths',
      count: {
        request: ({ config, since }) =>
          command(
            'changes',
            '-s',
            'submitted',
            '-m',
            String(COUNTED_MAX + 1),
            ...depotPaths(config).map((path) => range(path, since, 'now')),
          ),
        read(reply) {
          const { length } = numbersIn(reply)
          return length > COUNTED_MAX ? undefined : length
        },
      },
      page(asked) {
        const until = word(asked.cursor.until) ?? 'now'
        return command('changes', '-l', '-s', 'submitted', '-m', String(PAGE), range(pathOf(asked).path, asked.since, until))
      },
      details(reply) {
        const groups = groupsOf(numbersIn(reply))
        // A group whose answer was too large or refused: its missing changelists are requested one at a time.
        const alone = groups.flatMap((group) => {
          const answer = reply.details.get(describing(group).path)
          return !Array.isArray(answer) || group.length === 1 ? [] : group.filter((change) => !describedIn(answer, change))
        })
        return [...groups, ...alone.map((change) => [change])].map(describing)
      },
      read(reply, asked) {
        const { index, next } = pathOf(asked)
        const numbers = numbersIn(reply)
        const last = Math.min(...numbers.map(Number)) - 1
        const before = number(asked.cursor.until)
        const isMore = numbers.length >= PAGE && last > 0 && (before === undefined || last < before)
        const listed = new Map(objects(reply.body).map((one) => [word(one.change), one]))
        const facts = numbers.flatMap((change) => changeFact(descriptionOf(change, reply), listed.get(change)!, asked))
        return { facts, ...(isMore ? { next: { path: index, until: last } } : next && { next }) }
      },
    },
  ],
}

const describedIn = (answer: unknown, change: string) => objects(answer).find((record) => word(record.change) === change)

/** If the server gave one. */
function descriptionOf(change: string, { body, details }: HistoryReply): Json | undefined {
  const group = groupsOf(numbersIn({ body })).find((one) => one.includes(change))!
  return [group, [change]].map((asked) => describedIn(details.get(describing(asked).path), change)).find(Boolean)
}

/** As the server describes it if a trigger sends only its number. */
function changeFact(described: Json | undefined, listed: Json, { config, about, since }: Asked): ChangeFact[] {
  const { pending, ...change } = changeIn(described ?? listed)
  if (pending || (change.timestamp !== null && change.timestamp < since)) return []
  const url = reviewPage(text(config.swarm) ?? about.site, change.identifier)
  return [{ ...change, ...(!described && { files: null }), ...(url !== undefined && { url }) }]
}
