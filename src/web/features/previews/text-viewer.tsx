import { useQuery } from '@tanstack/react-query'
import { useMemo, useState } from 'react'
import { Away } from '../../api.ts'
import { useKeys } from '../../keys.ts'
import { Button } from '../../ui/form/button.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Failed } from '../../ui/notice.tsx'
import { countOf } from '../../ui/text/count.ts'
import { type OfAsset, type Preview, previewUrl } from './previews.ts'
import { beside, type DiffLine, diffLines, folded } from './text-diff.ts'

/** The service keeps less; a longer text is cut here, so that no text stops the page. */
const TEXT_MAX = 200_000
const ROWS_SHOWN = 500
/** Of one line. */
const LINE_MAX = 1_000

const useText = (of: OfAsset, preview: Preview | undefined) => {
  const url = preview && previewUrl(of, preview, 'original')
  return useQuery({
    queryKey: ['preview text', url],
    enabled: url !== undefined,
    staleTime: Number.POSITIVE_INFINITY,
    queryFn: async ({ signal }) => {
      const reply = await fetch(url!, { signal })
      if (!reply.ok) throw new Away()
      return (await reply.text()).slice(0, TEXT_MAX)
    },
  })
}

/** The text of a version, or what changed since another. */
export function TextViewer({ of, after, before }: { of: OfAsset; after: Preview; before: Preview | undefined }) {
  const [fresh, old] = [useText(of, after), useText(of, before)]
  const [isBeside, setBeside] = useState(false)
  const [isWhole, setWhole] = useState(false)
  const [rows, setRows] = useState(ROWS_SHOWN)
  useKeys(before ? { v: () => setBeside(false), s: () => setBeside(true) } : {})
  const lines = useMemo(
    () =>
      fresh.data === undefined || (before && old.data === undefined)
        ? undefined
        : diffLines(before ? old.data! : fresh.data, fresh.data),
    [before, fresh.data, old.data],
  )
  const error = fresh.error ?? (before && old.error)
  if (error) return <Failed error={error} retry={() => void Promise.all([fresh.refetch(), before && old.refetch()])} />
  if (!lines) return <Loading />
  const count = (kind: DiffLine['kind']) => lines.filter((line) => line.kind === kind).length
  const shown = before && !isWhole ? folded(lines) : lines
  return (
    <>
      {before && (
        <div role="toolbar" aria-label="Text tools" className="flex flex-wrap items-center gap-1.5">
          <Button
            look={isBeside ? 'quiet' : 'plain'}
            aria-pressed={!isBeside}
            aria-keyshortcuts="v"
            title="Unified (v)"
            onClick={() => setBeside(false)}
          >
            Unified
          </Button>
          <Button
            look={isBeside ? 'plain' : 'quiet'}
            aria-pressed={isBeside}
            aria-keyshortcuts="s"
            title="Side by side (s)"
            onClick={() => setBeside(true)}
          >
            Side by side
          </Button>
          <Button look={isWhole ? 'plain' : 'quiet'} aria-pressed={isWhole} onClick={() => setWhole(!isWhole)}>
            Whole text
          </Button>
          <span role="status" className="text-sm text-soft">
            {count('+') + count('-') === 0
              ? `Versions ${before.version} and ${after.version} have the same text`
              : `Since version ${before.version}: ${countOf(count('+'), 'line')} added, ${countOf(count('-'), 'line')} removed`}
          </span>
        </div>
      )}
      <section
        // biome-ignore lint/a11y/noNoninteractiveTabindex: scrolled with the keyboard
        tabIndex={0}
        aria-label={`Text of version ${after.version}`}
        className="max-h-[60vh] overflow-auto rounded-md border border-line bg-canvas font-mono text-xs"
      >
        {before && isBeside ? <Beside rows={beside(shown).slice(0, rows)} /> : <Unified lines={shown.slice(0, rows)} />}
      </section>
      {shown.length > rows && (
        <Button className="justify-self-start" onClick={() => setRows(rows + ROWS_SHOWN)}>
          Show {Math.min(ROWS_SHOWN, shown.length - rows)} more lines
        </Button>
      )}
    </>
  )
}

const WASHES = { '-': 'bg-err-wash', '+': 'bg-ok-wash', ' ': '' }
const SPOKEN = { '-': 'Removed: ', '+': 'Added: ', ' ': '' }
const cut = (text: string) => (text.length > LINE_MAX ? `${text.slice(0, LINE_MAX)}…` : text)

const Left = ({ lines }: { lines: number }) => <span className="text-faint">{countOf(lines, 'unchanged line')}</span>

const Text = ({ line }: { line: DiffLine | null }) => (
  <td className={`px-2 align-top wrap-anywhere whitespace-pre-wrap ${line ? WASHES[line.kind] : ''}`}>
    {line && line.kind !== ' ' && <span className="sr-only">{SPOKEN[line.kind]}</span>}
    {line && cut(line.text)}
  </td>
)
const LineNumber = ({ of }: { of: number | null | undefined }) => (
  <td className="w-0 px-2 text-right align-top text-faint select-none">{of}</td>
)

const Unified = ({ lines }: { lines: readonly (DiffLine | number)[] }) => (
  <table className="w-full border-collapse">
    <tbody>
      {lines.map((line, i) =>
        typeof line === 'number' ? (
          // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
          <tr key={i}>
            <td colSpan={4} className="px-2 py-1">
              <Left lines={line} />
            </td>
          </tr>
        ) : (
          // biome-ignore lint/suspicious/noArrayIndexKey: as above
          <tr key={i}>
            <LineNumber of={line.before} />
            <LineNumber of={line.after} />
            <td aria-hidden="true" className={`w-0 pl-2 align-top ${WASHES[line.kind]}`}>
              {line.kind}
            </td>
            <Text line={line} />
          </tr>
        ),
      )}
    </tbody>
  </table>
)

const Beside = ({ rows }: { rows: ReturnType<typeof beside> }) => (
  <table className="w-full table-fixed border-collapse">
    <colgroup>
      <col className="w-12" />
      <col />
      <col className="w-12" />
      <col />
    </colgroup>
    <tbody>
      {rows.map((row, i) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines have no other identity
        <tr key={i}>
          {typeof row === 'number' ? (
            <td colSpan={4} className="px-2 py-1">
              <Left lines={row} />
            </td>
          ) : (
            <>
              <LineNumber of={row[0]?.before} />
              <Text line={row[0]} />
              <LineNumber of={row[1]?.after} />
              <Text line={row[1]} />
            </>
          )}
        </tr>
      ))}
    </tbody>
  </table>
)
