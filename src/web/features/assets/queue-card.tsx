import { memo } from 'react'
import { wordsOf } from '../../ui/pill.tsx'
import { nameOf, type Waiting } from './queue-lines.ts'
import { QueuePicture } from './queue-picture.tsx'

export interface CardProps {
  projectId: string
  entry: Waiting
  index: number
  isOpen: boolean
  isMarked: boolean
  frozen: boolean
  onOpen(index: number, range: boolean): void
  onMark(index: number, range: boolean): void
}

/** An entry of the queue: its picture, name, author and stage. */
export const QueueCard = memo(function QueueCard({
  projectId,
  entry,
  index,
  isOpen,
  isMarked,
  frozen,
  onOpen,
  onMark,
}: CardProps) {
  const { queue, approval_stage, asset_version } = entry
  const name = nameOf(entry)
  return (
    <div
      className={`relative h-full overflow-hidden rounded-lg border-2 bg-panel ${isOpen ? 'border-accent' : isMarked ? 'border-strong-line' : 'border-transparent hover:border-line'}`}
    >
      <button
        type="button"
        aria-expanded={isOpen}
        title={name}
        onClick={(event) => onOpen(index, event.shiftKey)}
        className="grid h-full w-full grid-rows-[1fr_auto] text-left"
      >
        <QueuePicture projectId={projectId} entry={entry} size="small" className="h-full w-full" />
        <span className="grid gap-0.5 px-2 py-1.5">
          <span className="truncate text-sm font-medium">{name}</span>
          <span className="truncate text-xs text-soft">
            {[queue?.author, wordsOf(approval_stage), `v${asset_version}`].filter(Boolean).join(' · ')}
          </span>
        </span>
      </button>
      <input
        type="checkbox"
        aria-label={`Select ${name}`}
        checked={isMarked}
        disabled={frozen}
        onChange={(event) => onMark(index, (event.nativeEvent as MouseEvent).shiftKey)}
        className="absolute top-2 left-2 size-5 accent-accent"
      />
    </div>
  )
})
