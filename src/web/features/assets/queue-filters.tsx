import { useEffect, useId, useState } from 'react'
import { choicesOf } from '../../../contract/labels.ts'
import { ASSET_TYPES } from '../../../contract/sets.ts'
import { useDebounced } from '../../ui/form/debounced.ts'
import { Filter } from '../../ui/form/field.tsx'
import type { Waiting } from './queue-lines.ts'

type Name = 'asset_type' | 'path' | 'author' | 'branch' | 'stage'

interface Props {
  filters: Record<Name, string>
  onFilter(change: Partial<Record<Name, string>>): void
  /** What is shown: its authors, branches and stages are proposed. */
  approvals: readonly Waiting[]
}

const known = (values: (string | undefined)[]) => [...new Set(values)].filter((value) => value).toSorted() as string[]

/** The filters of the queue. Those of text apply once typing pauses. */
export function QueueFilters({ filters, onFilter, approvals }: Props) {
  const text = (name: Name) => ({ value: filters[name], onChange: (value: string) => onFilter({ [name]: value }) })
  return (
    <search aria-label="Filters" className="flex flex-wrap gap-2">
      <Filter
        label="Type"
        options={[['', 'All types'], ...choicesOf('asset_type', ASSET_TYPES)]}
        value={filters.asset_type}
        onChange={(asset_type) => onFilter({ asset_type })}
      />
      <TextFilter label="Path" {...text('path')} options={[]} />
      <TextFilter label="Author" {...text('author')} options={known(approvals.map(({ queue }) => queue?.author))} />
      <TextFilter label="Branch" {...text('branch')} options={known(approvals.map(({ queue }) => queue?.branch))} />
      <TextFilter label="Stage" {...text('stage')} options={known(approvals.map(({ approval_stage }) => approval_stage))} />
    </search>
  )
}

interface TextProps {
  label: string
  value: string
  options: readonly string[]
  onChange(value: string): void
}

function TextFilter({ label, value, options, onChange }: TextProps) {
  const id = useId()
  const [typed, setTyped] = useState(value)
  const settled = useDebounced(typed)
  useEffect(() => setTyped(value), [value])
  // biome-ignore lint/correctness/useExhaustiveDependencies: applies what was typed, once
  useEffect(() => {
    if (settled === typed && settled !== value) onChange(settled)
  }, [settled])
  return (
    <>
      <input
        type="search"
        aria-label={label}
        placeholder={label}
        list={id}
        value={typed}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setTyped(event.target.value)}
        className="h-8 w-36 min-w-0 rounded-md border border-line bg-panel px-2 text-sm text-ink placeholder:text-faint"
      />
      <datalist id={id}>
        {options.map((option) => (
          <option key={option} value={option} />
        ))}
      </datalist>
    </>
  )
}
