import { useEffect, useState } from 'react'
import { useKeys } from '../../keys.ts'
import { Button } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { CHANNELS, type Channel, ChannelFilters } from './channels.tsx'
import { compare, wordsOfDifference } from './difference.ts'
import { Divider } from './divider.tsx'
import { besideClass, type Mode, PICTURE_MODES, useMode } from './modes.tsx'
import { Pane, type PaneProps, type Picture } from './pane.tsx'
import type { Point, Thread } from './points.ts'
import { type OfAsset, type Preview, previewUrl } from './previews.ts'
import { useView } from './use-view.ts'
import type { Size } from './zoom.ts'

const BACKGROUNDS = { checkered: 'checkered', black: 'bg-black', white: 'bg-white' }
type Background = keyof typeof BACKGROUNDS

export interface PointsOfVersion {
  threads: readonly Thread[]
  selected: Point | null
  draft: Point | null
  select(version: number, point: Point): void
  /** Undefined: the viewer can't comment. */
  place?: (version: number, point: Point) => void
}

interface Props {
  of: OfAsset
  after: Preview
  before: Preview | undefined
  full: boolean
  pointsOf(version: number): PointsOfVersion
  /** A point that was chosen in the list of comments. */
  shown: Point | null
}

/** One version's picture, or two compared; with zoom, channels and points. */
export function PictureViewer({ of, after, before, full, pointsOf, shown }: Props) {
  const { mode, buttons } = useMode(PICTURE_MODES, before !== undefined)
  const [channel, setChannel] = useState<Channel>('all')
  const [background, setBackground] = useState<Background>('checkered')
  const [share, setShare] = useState(0.5)
  const [placing, setPlacing] = useState(false)
  const [sizes, setSizes] = useState<Record<string, Size>>({})
  const sizeOf = (preview: Preview): Size => {
    const known = sizes[preview.version]
    const told = preview.width && preview.height ? { width: preview.width, height: preview.height } : undefined
    // The stored size of a picture that was rotated or scaled has other proportions.
    return told && (!known || isAlike(told, known)) ? told : (known ?? { width: 1, height: 1 })
  }
  const viewing = useView(sizeOf(after), full)
  const { tools, percent, show, view, size } = viewing
  useEffect(() => void (shown && show(shown)), [shown, show])

  // The large picture is enough until more of its pixels are wanted.
  const [isExact, setExact] = useState(false)
  useEffect(() => {
    if (view.zoom * size.width * devicePixelRatio > LARGE_PIXELS) setExact(true)
  }, [view.zoom, size.width])
  const pictureOf = (preview: Preview): Picture => ({
    version: preview.version,
    src: previewUrl(of, preview, isExact && preview.original?.type.startsWith('image/') ? 'original' : 'large'),
    placeholder: preview.placeholder,
    size: sizeOf(preview),
    onSize: (size) => setSizes((known) => ({ ...known, [preview.version]: size })),
  })

  const place = pointsOf(after.version).place
  const startPlacing = () => {
    if (!place) return
    setPlacing(true)
    document.querySelector<HTMLElement>(`[data-pane="${after.version}"] [role="application"]`)?.focus()
  }
  useKeys({
    ...(place && { p: startPlacing }),
    '+': tools.in,
    '=': tools.in,
    '-': tools.out,
    '0': tools.fit,
    '1': tools.actual,
  })

  const paneOf = (pictures: readonly Preview[], more: Partial<PaneProps> = {}) => {
    const { version } = pictures.at(-1)!
    const points = pointsOf(version)
    return (
      <div
        key={pictures.length === 1 ? version : 'both'}
        data-pane={version}
        className="grid min-h-0 min-w-0 grid-cols-1 grid-rows-[1fr_auto] gap-1"
      >
        <Pane
          name={
            pictures.length === 1
              ? `Picture of version ${version}`
              : `Versions ${pictures.map((one) => one.version).join(' and ')}`
          }
          viewing={viewing}
          pictures={pictures.map(pictureOf)}
          channel={channel}
          background={BACKGROUNDS[background]}
          threads={points.threads}
          selected={points.selected}
          draft={points.draft}
          select={(point) => points.select(version, point)}
          placing={placing && points.place !== undefined}
          place={(point) => {
            setPlacing(false)
            points.place?.(version, point)
          }}
          cancel={() => setPlacing(false)}
          {...more}
        />
        <p className="text-center text-xs text-soft">{captionOf(mode, before, after, version)}</p>
      </div>
    )
  }
  return (
    <>
      <ChannelFilters />
      <div role="toolbar" aria-label="Picture tools" className="flex flex-wrap items-center gap-1.5">
        {buttons}
        <span className="flex items-center gap-0.5">
          <Button look="quiet" aria-label="Zoom out" aria-keyshortcuts="-" title="Zoom out (-)" onClick={tools.out}>
            −
          </Button>
          <output aria-label="Zoom" className="w-12 text-center text-xs tabular-nums">
            {percent}%
          </output>
          <Button look="quiet" aria-label="Zoom in" aria-keyshortcuts="+" title="Zoom in (+)" onClick={tools.in}>
            +
          </Button>
          <Button look="quiet" aria-keyshortcuts="0" title="Fit (0)" onClick={tools.fit}>
            Fit
          </Button>
          <Button
            look="quiet"
            aria-label="Actual size, 100%"
            aria-keyshortcuts="1"
            title="Actual size (1)"
            onClick={tools.actual}
          >
            100%
          </Button>
        </span>
        <Filter
          label="Channel"
          value={channel}
          onChange={(value) => setChannel(value as Channel)}
          options={CHANNELS.map((one) => [one, CHANNEL_LABELS[one]])}
        />
        <Filter
          label="Background"
          value={background}
          onChange={(value) => setBackground(value as Background)}
          options={[
            ['checkered', 'Checkerboard'],
            ['black', 'Black'],
            ['white', 'White'],
          ]}
        />
        {place && (
          <Button
            aria-pressed={placing}
            aria-keyshortcuts="p"
            title="Add point (p)"
            onClick={() => (placing ? setPlacing(false) : startPlacing())}
          >
            {placing ? 'Cancel point' : 'Add point'}
          </Button>
        )}
      </div>
      {placing && (
        <p role="status" className="text-sm text-soft">
          Select a place in the picture, or move the cross with the arrow keys and press Enter. Escape cancels.
        </p>
      )}
      <div className={`grid min-h-0 grid-cols-1 gap-2 ${full ? 'flex-1' : 'h-[min(60vh,36rem)]'} ${besideClass(mode)}`}>
        {mode === 'beside' && paneOf([before!])}
        {mode === 'single' || mode === 'beside'
          ? paneOf([after])
          : paneOf(
              [before!, after],
              mode === 'swipe'
                ? {
                    swiped: share,
                    children: (
                      <Divider
                        share={share}
                        move={setShare}
                        label={`Boundary between versions ${before!.version} and ${after.version}`}
                      />
                    ),
                  }
                : { differ: true },
            )}
      </div>
      {mode === 'difference' && <Difference before={previewUrl(of, before!, 'large')} after={previewUrl(of, after, 'large')} />}
    </>
  )
}

/** The longest side of the size `large`. */
const LARGE_PIXELS = 1600
const CHANNEL_LABELS: Record<Channel, string> = {
  all: 'All channels',
  red: 'Red',
  green: 'Green',
  blue: 'Blue',
  alpha: 'Alpha',
}

const isAlike = (a: Size, b: Size) => Math.abs(a.width / a.height / (b.width / b.height) - 1) < 0.02

const captionOf = (mode: Mode, before: Preview | undefined, after: Preview, version: number) =>
  mode === 'swipe'
    ? `Version ${before!.version} left, version ${after.version} right`
    : mode === 'difference'
      ? `Difference between versions ${before!.version} and ${after.version}, four times as bright: black is equal`
      : `Version ${version}`

function Difference({ before, after }: { before: string; after: string }) {
  const [share, setShare] = useState<number>()
  useEffect(() => {
    let isShown = true
    compare(before, after).then(
      (share) => isShown && setShare(share),
      () => {},
    )
    return () => {
      isShown = false
    }
  }, [before, after])
  return (
    <p role="status" className="text-sm">
      {share === undefined ? 'Comparing…' : wordsOfDifference(share)}
    </p>
  )
}
