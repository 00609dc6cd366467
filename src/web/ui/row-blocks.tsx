import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'

const ROWS = 25
/** The assumed height of a row before it is rendered. */
const ROW_HEIGHT = 38
/** Rendered at once; the others when they come near. */
const FIRST_BLOCKS = 3
const NEAR = '1500px'

interface Props<Row> {
  rows: readonly Row[]
  columns: number
  draw(row: Row): ReactNode
  /** The text of an unrendered row for the browser's search. */
  textOf(row: Row): string
}

/** Rows of a long table in blocks. A block far outside the viewport keeps its height and its text, so that thousands of rows stay light. */
export const RowBlocks = <Row,>({ rows, columns, draw, textOf }: Props<Row>) =>
  Array.from({ length: Math.ceil(rows.length / ROWS) }, (_, i) => {
    const part = rows.slice(i * ROWS, (i + 1) * ROWS)
    // biome-ignore lint/suspicious/noArrayIndexKey: a block is a range of the list, whatever it contains
    return <Block key={i} rows={part} columns={columns} draw={draw} textOf={textOf} isNear={i < FIRST_BLOCKS} />
  })

function Block<Row>({ rows, columns, draw, textOf, isNear: begins }: Props<Row> & { isNear: boolean }) {
  const body = useRef<HTMLTableSectionElement>(null)
  const [isNear, setNear] = useState(begins)
  const height = useRef(rows.length * ROW_HEIGHT)
  useEffect(() => {
    const element = body.current!
    const watcher = new IntersectionObserver(
      (entries) => {
        const { isIntersecting, boundingClientRect } = entries.at(-1)!
        if (isIntersecting) return setNear(true)
        // Keyboard users keep their position.
        if (element.contains(document.activeElement)) return
        height.current = boundingClientRect.height
        setNear(false)
      },
      { rootMargin: NEAR },
    )
    watcher.observe(element)
    return () => watcher.disconnect()
  }, [])
  const find = useCallback((text: HTMLElement | null) => {
    if (!text) return
    const show = () => {
      setNear(true)
      body.current!.scrollIntoView()
    }
    text.setAttribute('hidden', 'until-found')
    text.addEventListener('beforematch', show)
    return () => text.removeEventListener('beforematch', show)
  }, [])
  return (
    <tbody ref={body}>
      {isNear ? (
        rows.map(draw)
      ) : (
        <tr>
          <td colSpan={columns} style={{ height: height.current }}>
            <span ref={find} className="block">
              {rows.map(textOf).join('\n')}
            </span>
          </td>
        </tr>
      )}
    </tbody>
  )
}
