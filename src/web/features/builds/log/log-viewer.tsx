import { useCallback, useDeferredValue, useEffect, useLayoutEffect, useMemo, useRef, useState } from 'react'
import { useKeys } from '../../../keys.ts'
import { Button } from '../../../ui/form/button.tsx'
import { useStoredFlag } from '../../../ui/form/stored-flag.ts'
import { useCopy } from '../../../ui/text/clipboard.ts'
import { countOf } from '../../../ui/text/count.ts'
import { columnsOf, layoutOf, topOf } from './layout.ts'
import { extended, type LineRange, readRange, writeRange } from './line-range.ts'
import type { Whereabouts } from './links.ts'
import { SearchField, Toggle } from './log-bar.tsx'
import { DRAWN } from './log-line.tsx'
import { bringToSight, LogWindow, showRow } from './log-window.tsx'
import { Minimap } from './minimap.tsx'
import { type LogLine, readLog } from './read-log.ts'
import { errorLines, stepFrom } from './trouble.ts'
import { useFolds } from './use-folds.ts'
import { useSearch } from './use-search.ts'

interface Props {
  log: string
  /** The URL of the raw text, and the name of its file. */
  raw: string
  fileName: string
  /** Lines of the evidence, in order. */
  evidence: readonly number[]
  running: boolean
  where: Whereabouts
  /** The line requested elsewhere on the page; a new object repeats the request. */
  asked: { line: number } | undefined
}

/** Lines to scroll to, the first if not all fit, and whether the page may scroll for them. */
interface Target {
  line: number
  last: number
  column: number
  movesPage: boolean
}

/** A build's log as in a terminal: / searches, Enter goes to the next match, e to the next error. */
export function LogViewer({ log, raw, fileName, evidence, running, where, asked }: Props) {
  const { lines, groups } = useMemo(() => readLog(log), [log])
  const texts = useMemo(() => lines.map(({ text }) => text), [lines])
  const errors = useMemo(() => (evidence.length > 0 ? evidence : errorLines(lines)), [lines, evidence])
  const [text, setText] = useState('')
  const words = useDeferredValue(text)
  const [isPattern, setPattern] = useState(false)
  const search = useSearch(texts, words, isPattern)
  const [isWrapped, setWrapped] = useStoredFlag('log wraps', isNarrow())
  const hasStamps = useMemo(() => lines.some(({ stamp }) => stamp !== ''), [lines])
  const [showsStamps, setStamps] = useStoredFlag('log shows times', !isNarrow())
  const folds = useFolds(groups, errors, running)
  const [columns, setColumns] = useState(100)
  const widths = useMemo(() => widthsOf(lines, showsStamps), [lines, showsStamps])
  const layout = useMemo(
    () => layoutOf(lines.length, folds.folded, isWrapped ? columns : 0, (n) => widths[n - 1]!),
    [lines, folds.folded, isWrapped, columns, widths],
  )
  const widest = useMemo(() => widths.reduce((most, width) => Math.max(most, width), 0), [widths])
  const grouped = useMemo(() => new Map(groups.map((group) => [group.line, group])), [groups])
  const folded = useMemo(() => new Set(folds.folded), [folds.folded])
  const marked = useMemo(() => new Set(evidence), [evidence])
  const [picked, setPicked] = useState<LineRange>()
  const [current, setCurrent] = useState<number>()
  const [target, setTarget] = useState<Target>()
  const view = useRef<HTMLElement>(null)
  const input = useRef<HTMLInputElement>(null)
  const copyText = useCopy()

  const go = (line: number | undefined, last = line) => {
    if (line === undefined || last === undefined || line < 1 || line > lines.length) return
    setCurrent(line)
    folds.reveal({ first: line, last })
    setTarget({ line, last: Math.min(last, lines.length), column: search.found.ranges.get(line)?.[0]?.[0] ?? 0, movesPage: true })
  }
  const show = ({ line, last, column, movesPage }: Target) => {
    const first = topOf(layout, line)
    const end = topOf(layout, last)
    const shown = end - first < RANGE_ROWS ? end : first
    showRow(view.current, (first + shown) / 2, isWrapped ? 0 : column)
    if (movesPage) for (const row of [shown, first]) bringToSight(view.current, row)
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new target scrolls, once its section is expanded
  useLayoutEffect(() => {
    if (target) show(target)
  }, [target])
  // biome-ignore lint/correctness/useExhaustiveDependencies: the number of columns is measured after the first render
  useLayoutEffect(() => {
    if (target && isWrapped) show({ ...target, movesPage: false })
  }, [columns])
  const pick = useCallback((line: number, isExtending: boolean) => {
    setCurrent(undefined)
    setPicked((before) => {
      const next = isExtending ? extended(before, line) : { first: line, last: line }
      history.replaceState(history.state, '', writeRange(next))
      return next
    })
  }, [])
  const goToHash = () => {
    const range = readRange(window.location.hash)
    if (!range) return false
    setPicked(range)
    go(Math.min(range.first, lines.length), range.last)
    return true
  }
  // biome-ignore lint/correctness/useExhaustiveDependencies: only the first render decides; later changes are the reader's
  useEffect(() => {
    if (goToHash() || running) return
    const line = errors[0] ?? lines.length
    setTarget({ line, last: line, column: 0, movesPage: false })
  }, [])
  useEffect(() => {
    window.addEventListener('hashchange', goToHash)
    return () => window.removeEventListener('hashchange', goToHash)
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: only a new target scrolls
  useEffect(() => {
    if (!asked) return
    go(asked.line)
    view.current?.focus({ preventScroll: true })
  }, [asked])
  const nextError = () => go(stepFrom(errors, errors.includes(current ?? 0) ? current : undefined, 1))
  useKeys({ '/': () => input.current?.focus(), e: nextError })

  const { found, trouble, isBusy } = search
  // Fast typing may be ahead of the results.
  const [step, setStep] = useState<1 | -1>()
  const isSettled = words === text && !isBusy
  if (step !== undefined && isSettled) {
    setStep(undefined)
    go(stepFrom(found.lines, current, step))
  }
  const at = found.lines.indexOf(current ?? 0)
  const outcome =
    words === ''
      ? ''
      : isBusy
        ? 'Searching…'
        : (trouble ??
          (found.lines.length === 0 ? 'No matches' : `${at === -1 ? '' : `${at + 1} of `}${countOf(found.lines.length, 'line')}`))
  const copy = () => {
    const range = picked ?? { first: 1, last: lines.length }
    void copyText(texts.slice(range.first - 1, range.last).join('\n'), picked ? writeRange(picked).slice(1) : 'Log')
  }
  return (
    <div className="overflow-hidden rounded-lg border border-line">
      <div className="flex flex-wrap items-center gap-2 border-b border-line bg-panel p-2">
        <SearchField
          input={input}
          text={text}
          isPattern={isPattern}
          outcome={outcome}
          onText={setText}
          onPattern={setPattern}
          onStep={setStep}
        />
        {errors.length > 0 && (
          <Button onClick={nextError} title="e">
            {evidence.length > 0 ? 'Jump to evidence' : 'Jump to error'}
            <kbd className="text-xs text-faint">e</kbd>
          </Button>
        )}
        {groups.length > 0 && (
          <Toggle
            isOn={folds.folded.length > 0}
            onChange={folds.setAll}
            label={folds.folded.length > 0 ? 'Expand all' : 'Collapse all'}
          />
        )}
        {hasStamps && <Toggle isOn={showsStamps} onChange={setStamps} label="Times" />}
        <Toggle isOn={isWrapped} onChange={setWrapped} label="Wrap" />
        <Button look="quiet" onClick={() => go(lines.length)}>
          End
        </Button>
        <Button look="quiet" onClick={copy}>
          {picked ? `Copy ${writeRange(picked).slice(1)}` : 'Copy'}
        </Button>
        <a href={raw} target="_blank" rel="noreferrer" className="px-2 text-sm text-soft hover:underline">
          Raw
        </a>
        <a href={raw} download={fileName} className="px-2 text-sm text-soft hover:underline">
          Download
        </a>
      </div>
      <div className="flex">
        <LogWindow
          lines={lines}
          layout={layout}
          groups={grouped}
          folded={folded}
          found={found}
          picked={picked}
          current={current}
          marked={marked}
          where={where}
          gutter={String(lines.length).length + (groups.length > 0 ? 5 : 2)}
          widest={widest}
          isWrapped={isWrapped}
          showsStamps={showsStamps}
          follow={running}
          view={view}
          onPick={pick}
          onFold={folds.toggle}
          onColumns={setColumns}
        />
        {(errors.length > 0 || found.lines.length > 0) && (
          <Minimap layout={layout} errors={errors} found={found.lines} onLine={go} onNext={nextError} />
        )}
      </div>
      <p className="border-t border-line bg-panel px-3 py-1.5 text-xs text-soft">
        {countOf(lines.length, 'line')}, {countOf(log.length, 'character')}
        {running && ' · live'}
      </p>
    </div>
  )
}

/** The number of visible rows. */
const RANGE_ROWS = 24

/** On a phone a timestamp would leave no space for the line. */
const isNarrow = () => window.innerWidth < 640

/** The width of every line as rendered. */
const widthsOf = (lines: readonly LogLine[], withStamps: boolean): number[] =>
  lines.map(
    ({ text, stamp }) =>
      (text.length > DRAWN ? DRAWN + 30 : columnsOf(text)) + (withStamps && stamp !== '' ? stamp.length + 1 : 0),
  )
