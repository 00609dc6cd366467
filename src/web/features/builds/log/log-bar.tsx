import type { KeyboardEvent, ReactNode, RefObject } from 'react'

interface SearchFieldProps {
  input: RefObject<HTMLInputElement | null>
  text: string
  isPattern: boolean
  /** The result of the search as text. */
  outcome: string
  onText(text: string): void
  onPattern(isPattern: boolean): void
  onStep(direction: 1 | -1): void
}

/** The search field: Enter goes to the next match, Shift-Enter to the previous one, Escape closes it. */
export function SearchField({ input, text, isPattern, outcome, onText, onPattern, onStep }: SearchFieldProps) {
  const press = (event: KeyboardEvent) => {
    if (event.key === 'Enter') onStep(event.shiftKey ? -1 : 1)
    else if (event.key === 'Escape') onText('')
    else return
    event.preventDefault()
  }
  return (
    <>
      <input
        ref={input}
        type="search"
        aria-label="Search the log"
        placeholder="Search the log  /"
        value={text}
        spellCheck={false}
        onChange={(event) => onText(event.target.value)}
        onKeyDown={press}
        className="h-8 min-w-40 flex-1 rounded-md border border-line bg-canvas px-2.5 text-sm placeholder:text-faint"
      />
      <Toggle isOn={isPattern} onChange={onPattern} label="Regular expression">
        <span className="font-mono">.*</span>
      </Toggle>
      <span aria-live="polite" className="text-xs text-soft tabular-nums">
        {outcome}
      </span>
    </>
  )
}

interface ToggleProps {
  isOn: boolean
  onChange(isOn: boolean): void
  label: string
  children?: ReactNode
}

/** A toggle for the log. */
export const Toggle = ({ isOn, onChange, label, children }: ToggleProps) => (
  <button
    type="button"
    aria-pressed={isOn}
    aria-label={label}
    title={label}
    onClick={() => onChange(!isOn)}
    className={`h-8 rounded-md border px-2 text-sm ${isOn ? 'border-accent bg-accent-wash text-ink' : 'border-transparent text-soft hover:bg-hover hover:text-ink'}`}
  >
    {children ?? label}
  </button>
)
