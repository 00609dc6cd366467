import type { AppReply } from '../../../contract/app/routes.ts'
import { numberOf } from '../../ui/text/dates.ts'

export type Waiting = AppReply<'listApprovals'>['approvals'][number]

/** A line of the grid: the change of the entries below it, or entries side by side. */
export type Line = { kind: 'change'; of: Waiting; count: number } | { kind: 'entries'; from: number; to: number }

/** Groups neighbors of the same change, and cuts each group into rows. */
export function linesOf(entries: readonly Waiting[], columns: number): Line[] {
  const lines: Line[] = []
  for (let from = 0; from < entries.length; ) {
    const { commit_sha } = entries[from]!
    let end = from + 1
    while (end < entries.length && entries[end]!.commit_sha === commit_sha) end++
    lines.push({ kind: 'change', of: entries[from]!, count: end - from })
    for (; from < end; from += columns) lines.push({ kind: 'entries', from, to: Math.min(end, from + columns) })
    from = end
  }
  return lines
}

/** Files of a level are one entry, named by the level. */
export const isLevel = ({ queue }: Waiting): boolean => queue?.level != null && queue.parts > 1
export const nameOf = (entry: Waiting): string => {
  const { asset_name, queue } = entry
  return isLevel(entry) ? `${queue!.level!.split('/').at(-1)} (${numberOf(queue!.parts)} files)` : asset_name
}

/** The entries between two places, in either direction. */
export const between = (entries: readonly Waiting[], one: number, other: number): string[] =>
  entries.slice(Math.min(one, other), Math.max(one, other) + 1).map(({ asset_id }) => asset_id)

/** What a decision about entries names. */
export const chosenOf = (entries: readonly Waiting[]) => ({
  assets: entries.flatMap((entry) => (isLevel(entry) ? [] : [{ id: entry.asset_id, version: entry.asset_version }])),
  levels: entries.flatMap((entry) => (isLevel(entry) ? [{ level: entry.queue!.level!, seen_at: entry.queue!.seen_at }] : [])),
})
