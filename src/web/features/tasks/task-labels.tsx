import { useState } from 'react'
import { LABEL_MAX } from '../../../contract/limits.ts'
import { Icon } from '../../ui/icon.tsx'
import { labelsOf } from './task-draft.ts'

interface Props {
  labels: readonly string[]
  fixed: boolean
  onChange(labels: string[]): void
}

/** Labels: click to remove, type to add. */
export function TaskLabels({ labels, fixed, onChange }: Props) {
  const [text, setText] = useState('')
  const add = () => {
    const more = labelsOf(text).filter((label) => !labels.includes(label))
    setText('')
    if (more.length > 0) onChange([...labels, ...more])
  }
  return (
    <div className="flex max-w-full flex-wrap items-center gap-1">
      {labels.map((label) => (
        <span
          key={label}
          title={label}
          className="inline-flex max-w-full items-center gap-0.5 rounded-full bg-hover py-px pr-1 pl-2 text-xs text-soft"
        >
          <span className="truncate">{label}</span>
          {!fixed && (
            <button
              type="button"
              aria-label={`Remove label ${label}`}
              onClick={() => onChange(labels.filter((one) => one !== label))}
              className="rounded-full p-0.5 hover:bg-line hover:text-ink"
            >
              <Icon name="close" className="size-3" />
            </button>
          )}
        </span>
      ))}
      {!fixed && (
        <input
          aria-label="Add a label"
          placeholder="Add…"
          value={text}
          maxLength={LABEL_MAX}
          onChange={(event) => setText(event.target.value)}
          onBlur={add}
          onKeyDown={(event) => {
            if (event.key !== 'Enter') return
            event.preventDefault()
            add()
          }}
          className="h-6 w-20 rounded border border-transparent bg-transparent px-1 text-xs placeholder:text-faint hover:border-line"
        />
      )}
    </div>
  )
}
