import { useVirtualizer } from '@tanstack/react-virtual'
import { type RefObject, useEffect, useRef } from 'react'
import { type CardProps, QueueCard } from './queue-card.tsx'
import type { Waiting } from './queue-lines.ts'

const WIDTH = 176

interface Props extends Pick<CardProps, 'projectId' | 'frozen' | 'onOpen' | 'onMark'> {
  list: RefObject<HTMLOListElement | null>
  entries: readonly Waiting[]
  current: number
  marked: ReadonlySet<string>
}

/** The entries in one line, which scrolls sideways. */
export function QueueStrip({ list, entries, current, marked, projectId, ...card }: Props) {
  const frame = useRef<HTMLDivElement>(null)
  const virtual = useVirtualizer({
    count: entries.length,
    horizontal: true,
    getScrollElement: () => frame.current,
    estimateSize: () => WIDTH,
    overscan: 4,
  })
  useEffect(() => virtual.scrollToIndex(current, { align: 'auto' }), [virtual, current])
  return (
    <div ref={frame} className="overflow-x-auto">
      <ol
        ref={list}
        tabIndex={-1}
        aria-label="Waiting for approval"
        className="relative h-44 outline-none"
        style={{ width: virtual.getTotalSize() }}
      >
        {virtual.getVirtualItems().map(({ index, start }) => {
          const entry = entries[index]!
          return (
            <li
              key={entry.asset_id}
              aria-current={index === current || undefined}
              className="absolute inset-y-0 p-1"
              style={{ left: start, width: WIDTH }}
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
        })}
      </ol>
    </div>
  )
}
