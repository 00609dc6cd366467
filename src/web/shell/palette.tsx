import { useNavigate } from '@tanstack/react-router'
import { type KeyboardEvent, useEffect, useId, useState } from 'react'
import { wordsOf } from '../api.ts'
import { Dialog } from '../ui/form/dialog.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Openers } from './palette-actions.ts'
import { type Choice, useChoices } from './palette-choices.ts'

interface Props extends Openers {
  onClose(): void
}

/** ⌘K: go anywhere, find anything, run actions. */
export function Palette({ open, ...props }: Props & { open: boolean }) {
  return (
    <Dialog title="Search" open={open} onClose={props.onClose}>
      <Finder {...props} />
    </Dialog>
  )
}

function Finder({ onClose, ...openers }: Props) {
  const [text, setText] = useState('')
  const [at, setAt] = useState(0)
  const navigate = useNavigate()
  const id = useId()
  const { choices, error, looking } = useChoices(text, openers)
  const last = choices.length - 1
  const current = Math.max(0, Math.min(at, last))
  useEffect(() => {
    document.getElementById(`${id}-${current}`)?.scrollIntoView({ block: 'nearest' })
  }, [id, current])
  const go = (choice: Choice | undefined) => {
    if (!choice) return
    onClose()
    if (choice.run) choice.run()
    else {
      const [to, hash] = choice.url.split('#')
      void navigate({ to: to!, ...(hash && { hash }) })
    }
  }
  const press = (event: KeyboardEvent) => {
    if (event.key === 'ArrowDown') setAt(current === last ? 0 : current + 1)
    else if (event.key === 'ArrowUp') setAt(current === 0 ? last : current - 1)
    else if (event.key === 'PageDown') setAt(Math.min(last, current + 8))
    else if (event.key === 'PageUp') setAt(Math.max(0, current - 8))
    else if (event.key === 'Enter' && !event.nativeEvent.isComposing) go(choices[current])
    else return
    event.preventDefault()
  }
  const groups = (['Do', 'Go to', 'Found'] as const).filter((name) => choices.some(({ group }) => group === name))
  return (
    <div className="grid gap-3">
      <input
        role="combobox"
        aria-expanded={choices.length > 0}
        aria-controls={id}
        aria-autocomplete="list"
        aria-activedescendant={choices.length > 0 ? `${id}-${current}` : undefined}
        aria-label="Search or go to"
        autoComplete="off"
        spellCheck={false}
        placeholder="Search, go to a page, or type approve, claim, investigate…"
        value={text}
        onChange={(event) => {
          setText(event.target.value)
          setAt(0)
        }}
        onKeyDown={press}
        className="h-10 w-full rounded-md border border-strong-line bg-panel px-3 text-ink placeholder:text-faint"
      />
      {/* Fixed height, so that nothing jumps while typing. */}
      <div className="h-[min(24rem,50vh)] overflow-y-auto">
        <div id={id} role="listbox" aria-label="Results" className="grid grid-cols-1 content-start">
          {groups.map((name) => (
            // biome-ignore lint/a11y/useSemanticElements: a fieldset is not allowed in a listbox
            <div key={name} role="group" aria-label={name} className="grid grid-cols-1">
              <span aria-hidden="true" className="px-2 pt-2 pb-1 text-xs font-medium text-faint">
                {name}
              </span>
              {choices.map(
                (choice, i) =>
                  choice.group === name && (
                    <Option
                      key={choice.url}
                      id={`${id}-${i}`}
                      choice={choice}
                      selected={i === current}
                      onGo={() => go(choice)}
                      onPoint={() => setAt(i)}
                    />
                  ),
              )}
            </div>
          ))}
        </div>
        {choices.length === 0 && !looking && !error && (
          <p className="px-2 py-6 text-center text-sm text-soft">
            No results for “{text.trim()}”. Try a task number, a job name or part of a path.
          </p>
        )}
        {looking && choices.length === 0 && <p className="px-2 py-6 text-center text-sm text-soft">Searching…</p>}
        {error && (
          <p role="alert" className="px-2 py-2 text-sm text-err">
            {wordsOf(error)}
          </p>
        )}
      </div>
      <p role="status" className="sr-only">
        {looking ? 'Searching' : choices.length === 1 ? '1 result' : `${choices.length} results`}
      </p>
      <p aria-hidden="true" className="text-xs text-faint max-sm:hidden">
        ↑ ↓ to select · Enter to open or run · Esc to close · ? on a page for shortcuts
      </p>
    </div>
  )
}

interface OptionProps {
  id: string
  choice: Choice
  selected: boolean
  onGo(): void
  onPoint(): void
}

const Option = ({ id, choice, selected, onGo, onPoint }: OptionProps) => (
  // biome-ignore lint/a11y/useKeyWithClickEvents: the input handles the keys
  <div
    id={id}
    role="option"
    tabIndex={-1}
    aria-selected={selected}
    onClick={onGo}
    onPointerMove={onPoint}
    className={`flex scroll-my-8 items-center gap-3 rounded px-2 py-1.5 text-sm ${selected ? 'bg-accent-wash' : ''}`}
  >
    <Icon name={choice.icon} className="text-soft" />
    <span className="min-w-0 flex-1 truncate" title={choice.title}>
      {choice.kind && <span className="sr-only">{choice.kind} </span>}
      {choice.title}
    </span>
    <span className="max-w-[45%] truncate text-xs text-soft" title={choice.detail}>
      {choice.detail}
    </span>
  </div>
)
