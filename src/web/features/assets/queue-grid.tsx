import { useWindowVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useLayoutEffect, useMemo, useState } from 'react'
import { countOf } from '../../ui/text/count.ts'
import { ChangeLink } from '../changes/change-of.tsx'
import { type CardProps, QueueCard } from './queue-card.tsx'
import { linesOf, type Waiting } from './queue-lines.ts'

const CARD = { width: 168, height: 196 }
const HEADING = 44

interface Props extends Pick<CardProps, 'projectId' | 'frozen' | 'onOpen' | 'onMark'> {
  list: RefObject<HTMLOListElement | null>
  entries: readonly Waiting[]
  current: number
  marked: ReadonlySet<string>
  columns: number
}

/** The number of columns that fit into the list, while it is a grid. */
export function useColumns(list: RefObject<HTMLOListElement | null>, isGrid: boolean): number {
  const [columns, setColumns] = useState(1)
  useLayoutEffect(() => {
    const element = list.current
    if (!element || !isGrid) return
    const measure = () => setColumns(Math.max(2, Math.floor(element.clientWidth / CARD.width)))
    measure()
    const watcher = new ResizeObserver(measure)
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [list, isGrid])
  return columns
}

/** The entries as cards below their changes. Only those near the window are rendered. */
export function QueueGrid({ list, entries, current, marked, columns, projectId, ...card }: Props) {
  const lines = useMemo(() => linesOf(entries, columns), [entries, columns])
  const [top, setTop] = useState(0)
  useLayoutEffect(() => setTop((list.current?.getBoundingClientRect().top ?? 0) + window.scrollY), [list])
  const virtual = useWindowVirtualizer({
    count: lines.length,
    estimateSize: (at) => (lines[at]!.kind === 'change' ? HEADING : CARD.height),
    overscan: 3,
    scrollMargin: top,
    scrollPaddingStart: 64,
    scrollPaddingEnd: 24,
  })
  // Sizes follow from the lines, which change with decisions and with the width.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the lines are read by the virtualizer
  useLayoutEffect(() => virtual.measure(), [virtual, lines])
  const line = lines.findIndex((one) => one.kind === 'entries' && one.from <= current && current < one.to)
  useEffect(() => {
    if (line > 1) virtual.scrollToIndex(line, { align: 'auto' })
  }, [virtual, line])
  return (
    <ol
      ref={list}
      tabIndex={-1}
      aria-label="Waiting for approval"
      className="relative min-w-0 outline-none"
      style={{ height: virtual.getTotalSize() }}
    >
      {virtual.getVirtualItems().flatMap(({ index: at, start, size }) => {
        const one = lines[at]!
        const place = { top: start - top, height: size }
        if (one.kind === 'change')
          return [
            <li key={`change ${one.of.asset_id}`} className="absolute inset-x-0 flex items-end gap-2 pb-1 text-xs" style={place}>
              <h2 className="min-w-0 truncate text-sm">
                <Change projectId={projectId} of={one.of} />
              </h2>
              <span className="shrink-0 text-soft">
                {one.of.queue?.branch && `${one.of.queue.branch} · `}
                {countOf(one.count, 'entry', 'entries')}
              </span>
            </li>,
          ]
        return entries.slice(one.from, one.to).map((entry, column) => {
          const index = one.from + column
          return (
            <li
              key={entry.asset_id}
              aria-current={index === current || undefined}
              className="absolute p-1"
              style={{ ...place, left: `${(100 / columns) * column}%`, width: `${100 / columns}%` }}
            >
              <QueueCard
                projectId={projectId}
                entry={entry}
                index={index}
                isOpen={index === current}
                isMarked={marked.has(entry.asset_id)}
                {...card}
              />
            </li>
          )
        })
      })}
    </ol>
  )
}

const Change = ({ projectId, of: { change, commit_sha } }: { projectId: string; of: Waiting }) =>
  change ? (
    <ChangeLink projectId={projectId} change={change} />
  ) : commit_sha ? (
    <code className="font-mono text-xs">{commit_sha.slice(0, 12)}</code>
  ) : (
    <span className="text-soft">No change</span>
  )
