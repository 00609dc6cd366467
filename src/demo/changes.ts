import { iso } from './calendar.ts'
import type { Game } from './game.ts'
import type { Moment } from './history.ts'
import { branchesOf, pathOn } from './merges.ts'
import { authorOf, isPerson } from './people.ts'
import type { Random } from './random.ts'

const ACTIONS: Record<string, string> = { '+': 'add', '-': 'delete' }

/** A forced push removed these, counted from the newest; git only. */
const ORPHANS = [23, 24]
/** Reported by a tool without its files; git only. */
const WITHOUT_FILES = [57]

export function changesOf(game: Game, moments: readonly Moment[], random: Random) {
  const git = game.sourceType === 'GitCommit'
  let changelist = game.firstNumber
  const known = new Set<string>()
  const branches = branchesOf(game, moments)
  const identifiers = new Map<Moment, string>()
  return moments.map((moment, i) => {
    const { at, work, merges } = moment
    const age = moments.length - i
    changelist += random.whole(1, 4)
    const identifier = identifierOf(game, changelist, random)
    identifiers.set(moment, identifier)
    return {
      key: `${game.key}-change-${i + 1}`,
      project: game.key,
      identifier,
      source_type: game.sourceType,
      author: authorOf(work.by[0]!),
      user: isPerson(work.by[0]!) ? work.by[0] : null,
      description: merges
        ? mergeText(
            game,
            merges.map((merged) => identifiers.get(merged)!),
            work.text,
          )
        : work.text,
      timestamp: iso(at),
      ...(git && ORPHANS.includes(age) ? { orphaned_at: iso(at + 90_000) } : {}),
      files: git && WITHOUT_FILES.includes(age) ? null : work.files.map((file) => fileOf(file, branches[i]![0]!, known)),
      branches: branches[i]!,
      created_at: iso(at),
      updated_at: iso(at),
    }
  })
}
export type Change = ReturnType<typeof changesOf>[number]

const mergeText = (game: Game, [first, ...others]: readonly string[], text: string) =>
  others.length === 0
    ? `Merge ${shown(game, first!)} from main: ${text}`
    : `Merge ${shown(game, first!)} to ${shown(game, others.at(-1)!)} from main`

const shown = ({ sourceType }: Game, identifier: string) =>
  sourceType === 'Changelist' ? `CL ${identifier}` : identifier.slice(0, 8)

const identifierOf = ({ sourceType }: Game, changelist: number, random: Random) =>
  sourceType === 'Changelist' ? String(changelist) : random.hex(sourceType === 'GitCommit' ? 40 : 64)

/** A file that was touched before cannot be new. */
const fileOf = (marked: string, branch: string, known: Set<string>) => {
  const action = ACTIONS[marked[0]!]
  const path = pathOn(branch, action ? marked.slice(1) : marked)
  const again = known.has(path)
  known.add(path)
  return { path, action: action === undefined || (action === 'add' && again) ? 'edit' : action }
}
