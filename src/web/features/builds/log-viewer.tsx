import { type KeyboardEvent, useDeferredValue, useEffect, useMemo, useRef, useState } from 'react'
import { Button } from '../../ui/form/button.tsx'
import { countOf } from '../../ui/text/count.ts'
import { useToast } from '../../ui/toast.tsx'
import { columnOf, errorLines, foundLines, linesOf, stepFrom } from './log-lines.ts'
import { bringToSight, LogWindow, showLine } from './log-window.tsx'

interface Props {
  log: string
  /** Where the text itself is served. */
  raw: string
  evidence: readonly number[]
  running: boolean
  /** The line somebody asked for elsewhere on the page; a new object asks again. */
  asked: { line: number } | undefined
}

const NONE: readonly number[] = []

/** A build's log: searched with /, walked with Enter, errors with e. */
export function LogViewer({ log, raw, evidence, running, asked }: Props) {
  const lines = useMemo(() => linesOf(log), [log])
  const errors = useMemo(() => (evidence.length > 0 ? evidence : errorLines(lines)), [lines, evidence])
  const [text, setText] = useState('')
  const words = useDeferredValue(text)
  const found = useMemo(() => (words ? foundLines(lines, words) : NONE), [lines, words])
  const marked = useMemo(() => new Set(evidence), [evidence])
  const [current, setCurrent] = useState<number>()
  const view = useRef<HTMLElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const say = useToast()
  const go = (line: number | undefined) => {
    if (line === undefined) return
    setCurrent(line)
    showLine(view.current, line, text === '' ? 0 : columnOf(lines[line - 1] ?? '', text))
    bringToSight(view.current, line)
  }
  const pick = (line: number) => {
    setCurrent(line)
    history.replaceState(history.state, '', `#L${line}`)
  }
  const nextError = () => go(stepFrom(errors, errors.includes(current ?? 0) ? current : undefined, 1))

  // biome-ignore lint/correctness/useExhaustiveDependencies: the first look decides; later ones are the reader's
  useEffect(() => {
    const named = /^#L(\d+)$/.exec(window.location.hash)?.[1]
    if (named) go(Number(named))
    else if (!running) showLine(view.current, errors[0] ?? lines.length)
  }, [])
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new wish moves the window
  useEffect(() => {
    if (!asked) return
    go(asked.line)
    view.current?.focus({ preventScroll: true })
  }, [asked])
  useEffect(() => {
    const press = (event: globalThis.KeyboardEvent) => {
      const { tagName } = event.target as HTMLElement
      if (event.metaKey || event.ctrlKey || event.altKey || /^(?:INPUT|TEXTAREA|SELECT)$/.test(tagName)) return
      if (event.key === '/') input.current?.focus()
      else if (event.key === 'e') nextError()
      else return
      event.preventDefault()
    }
    document.addEventListener('keydown', press)
    return () => document.removeEventListener('keydown', press)
  })
  const search = (event: KeyboardEvent) => {
    // Whoever types fast is ahead of what is marked.
    const typed = () => (words === text ? found : foundLines(lines, text))
    if (event.key === 'Enter') go(stepFrom(typed(), current, event.shiftKey ? -1 : 1))
    else if (event.key === 'Escape') setText('')
    else return
    event.preventDefault()
  }
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(log)
      say('Log copied')
    } catch {
      say('This browser lets the page copy nothing; open Raw instead.', 'err')
    }
  }
  const at = found.indexOf(current ?? 0)
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <div className="flex flex-wrap items-center gap-2 border-b border-line bg-panel p-2">
        <input
          ref={input}
          type="search"
          aria-label="Search the log"
          placeholder="Search the log  /"
          value={text}
          onChange={(event) => setText(event.target.value)}
          onKeyDown={search}
          className="h-8 min-w-40 flex-1 rounded-md border border-line bg-canvas px-2.5 text-sm placeholder:text-faint"
        />
        <span aria-live="polite" className="text-xs text-soft tabular-nums">
          {words && (found.length === 0 ? 'Not found' : `${at === -1 ? '' : `${at + 1} of `}${countOf(found.length, 'line')}`)}
        </span>
        {errors.length > 0 && (
          <Button onClick={nextError} title="e">
            {evidence.length > 0 ? 'Jump to evidence' : 'Jump to error'}
            <kbd className="text-xs text-faint">e</kbd>
          </Button>
        )}
        <Button look="quiet" onClick={() => go(lines.length)}>
          End
        </Button>
        <Button look="quiet" onClick={copy}>
          Copy
        </Button>
        <a href={raw} target="_blank" rel="noreferrer" className="px-2 text-sm text-soft hover:underline">
          Raw
        </a>
      </div>
      <LogWindow lines={lines} words={words} current={current} marked={marked} follow={running} view={view} onPick={pick} />
      <p className="border-t border-line bg-panel px-3 py-1.5 text-xs text-soft">
        {countOf(lines.length, 'line')}, {countOf(log.length, 'character')}
        {running && ' · grows while the build runs'}
      </p>
    </div>
  )
}
