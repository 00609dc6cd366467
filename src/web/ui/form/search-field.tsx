import { useEffect, useId, useState } from 'react'
import { useDebounced } from './debounced.ts'

interface Props {
  label: string
  placeholder?: string
  value: string
  /** The text, once typing pauses. */
  onChange(text: string): void
  className?: string
  /** Values to choose from, with their labels. */
  suggestions?: readonly (readonly [value: string, label: string])[]
}

/** A field above a list that filters it while typing. */
export function SearchField({ label, placeholder = label, value, onChange, className = 'w-44', suggestions }: Props) {
  const list = useId()
  const [text, setText] = useState(value)
  const settled = useDebounced(text.trim())
  // biome-ignore lint/correctness/useExhaustiveDependencies: only typed text is reported, not the URL's
  useEffect(() => {
    if (settled !== value) onChange(settled)
  }, [settled])
  // A saved view, or going back, sets another text.
  useEffect(() => setText((typed) => (typed.trim() === value ? typed : value)), [value])
  return (
    <>
      <input
        type="search"
        aria-label={label}
        placeholder={placeholder}
        value={text}
        list={suggestions && list}
        onChange={(event) => setText(event.target.value)}
        className={`h-8 min-w-0 rounded-md border border-line bg-panel px-2 text-sm placeholder:text-faint ${className}`}
      />
      {suggestions && (
        <datalist id={list}>
          {suggestions.map(([value, label]) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </datalist>
      )}
    </>
  )
}

interface DatesProps {
  /** What the dates are about; omitted if obvious. */
  label?: string
  since: string
  until: string
  onChange(change: { since?: string; until?: string }): void
}

/** The first and last day of a list, in one row if there is space. */
export const DateFields = ({ label, since, until, onChange }: DatesProps) => (
  <span className="inline-flex flex-wrap items-center gap-x-2 gap-y-1">
    <DateField label={label ? `${label} from` : 'From'} value={since} onChange={(since) => onChange({ since })} />
    <DateField label="to" value={until} onChange={(until) => onChange({ until })} />
  </span>
)

const DateField = ({ label, value, onChange }: Pick<Props, 'label' | 'value' | 'onChange'>) => (
  <label className="inline-flex items-center gap-1.5 text-sm text-soft">
    {label}
    <input
      type="date"
      value={value}
      onChange={(event) => onChange(event.target.value)}
      className="h-8 rounded-md border border-line bg-panel px-2 text-sm text-ink"
    />
  </label>
)

/** A day in the URL as an instant in the reader's time zone; its end is the start of the next day. */
export const startOf = (day: string): string | undefined => instantOf(day, 0)
export const endOf = (day: string): string | undefined => instantOf(day, 1)

function instantOf(day: string, later: number): string | undefined {
  const at = new Date(`${day}T00:00:00`)
  at.setDate(at.getDate() + later)
  return Number.isNaN(at.getTime()) ? undefined : at.toISOString()
}
