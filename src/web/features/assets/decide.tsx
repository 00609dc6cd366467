import { useId, useRef, useState } from 'react'
import { labelOf } from '../../../contract/labels.ts'
import { DECISIONS, type Decision } from '../../../contract/sets.ts'
import { useKeys } from '../../keys.ts'
import { Button } from '../../ui/form/button.tsx'
import { DECISION_KEYS } from './decisions.ts'

interface Props {
  /** The asset's name, for screen readers. */
  name: string
  comment: string
  setComment(text: string): void
  onDecide(decision: Decision): void
  /** A decision is being sent; the focus stays where it is. */
  disabled?: boolean
}

/**
 * A comment and three decisions, each with its key; once per page. Ctrl or ⌘ and Enter in the comment approves, or denies if a reason was
 * asked for.
 */
export function Decide({ name, comment, setComment, onDecide, disabled = false }: Props) {
  const box = useRef<HTMLTextAreaElement>(null)
  const hint = useId()
  const [isDenying, setDenying] = useState(false)
  const decide = (decision: Decision) => {
    if (disabled) return
    // A denial without a reason does not help the author.
    const lacksReason = decision === 'denied' && comment.trim() === ''
    setDenying(lacksReason)
    if (lacksReason) box.current?.focus()
    else onDecide(decision)
  }
  useKeys({
    a: () => decide('approved'),
    d: () => decide('denied'),
    i: () => decide('ignored'),
    c: () => box.current?.focus(),
  })
  return (
    <div className="grid gap-2">
      <textarea
        ref={box}
        aria-label={`Comment on ${name}`}
        aria-describedby={isDenying ? hint : undefined}
        placeholder={isDenying ? 'Reason' : 'Comment (required to deny)'}
        rows={2}
        value={comment}
        readOnly={disabled}
        onChange={(event) => setComment(event.target.value)}
        onKeyDown={(event) => {
          if (event.key === 'Escape') box.current?.blur()
          if (event.key === 'Enter' && (event.metaKey || event.ctrlKey)) decide(isDenying ? 'denied' : 'approved')
        }}
        className="w-full rounded-md border border-strong-line bg-panel px-2.5 py-2 text-sm text-ink placeholder:text-faint"
      />
      {isDenying && (
        <p id={hint} role="alert" className="text-sm text-err">
          Enter a reason for denying {name}, then select Deny again or press Ctrl+Enter.
        </p>
      )}
      <div className="flex flex-wrap gap-2">
        {DECISIONS.map((decision) => {
          const key = DECISION_KEYS[decision]
          return (
            <Button
              key={decision}
              look={decision === 'approved' ? 'main' : decision === 'denied' ? 'danger' : 'plain'}
              aria-keyshortcuts={key}
              aria-disabled={disabled || undefined}
              onClick={() => decide(decision)}
            >
              {labelOf('decision', decision)}
              <span className="sr-only">{name}</span>
              <kbd className="font-sans text-xs">{key.toUpperCase()}</kbd>
            </Button>
          )
        })}
      </div>
    </div>
  )
}
