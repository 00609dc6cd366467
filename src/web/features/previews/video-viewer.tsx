import { type ReactNode, useCallback, useEffect, useRef, useState } from 'react'
import { useKeys } from '../../keys.ts'
import { Button } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { besideClass, MOVING_MODES, useMode } from './modes.tsx'
import { type OfAsset, type Preview, previewUrl } from './previews.ts'
import { frameAt, rateOf, timecode, timeOf, USUAL_RATE } from './timecode.ts'

const SPEEDS = [0.1, 0.25, 0.5, 1, 2]
/** Enough to tell how far frames are apart. */
const FRAMES_SEEN = 24
/** While two videos play, a difference that nobody sees is not worth a jump. */
const DRIFT_SECONDS = 0.1
const STILL_SECONDS = 0.001

interface Props {
  of: OfAsset
  name: string
  after: Preview
  before: Preview | undefined
  full: boolean
}

/** A video frame by frame, alone or in step with another version. */
export function VideoViewer({ of, name, after, before, full }: Props) {
  const { mode, buttons } = useMode(MOVING_MODES, before !== undefined)
  const shown = mode === 'beside' ? [before!, after] : [after]
  return (
    <Player
      key={after.version}
      videos={shown.map((preview) => ({ version: preview.version, src: previewUrl(of, preview, 'original') }))}
      name={name}
      full={full}
      layout={besideClass(mode)}
      buttons={buttons}
    />
  )
}

interface PlayerProps {
  videos: readonly { version: number; src: string }[]
  name: string
  full: boolean
  layout: string
  buttons: ReactNode
}

function Player({ videos, name, full, layout, buttons }: PlayerProps) {
  const frame = useRef<HTMLDivElement>(null)
  const [at, setAt] = useState(0)
  const [length, setLength] = useState(0)
  const [isPlaying, setPlaying] = useState(false)
  const [isLooped, setLooped] = useState(true)
  const [speed, setSpeed] = useState(1)
  const [failed, setFailed] = useState<number>()
  const [rate, setRate] = useState(USUAL_RATE)
  const seen = useRef<number[]>([])

  const elements = useCallback(() => [...(frame.current?.querySelectorAll('video') ?? [])], [])
  /** The longest leads. The others follow, and wait at their end. */
  const leader = useCallback(
    () =>
      elements().reduce<HTMLVideoElement | undefined>((best, one) => (best && endOf(best) >= endOf(one) ? best : one), undefined),
    [elements],
  )
  const follow = () => {
    const leads = leader()!
    for (const one of elements()) {
      if (one === leads) continue
      const time = Math.min(leads.currentTime, endOf(one))
      if (Math.abs(one.currentTime - time) > (leads.paused ? STILL_SECONDS : DRIFT_SECONDS)) one.currentTime = time
      if (leads.paused || leads.currentTime >= endOf(one)) one.pause()
      else if (one.paused) void one.play().catch(() => {})
    }
  }

  // The browser tells the exact time of each frame that it draws.
  // biome-ignore lint/correctness/useExhaustiveDependencies: another video is another element
  useEffect(() => {
    const watched = elements().map((element) => {
      if (!element.requestVideoFrameCallback) return () => {}
      let request = 0
      const drawn = (_: number, { mediaTime }: { mediaTime: number }) => {
        request = element.requestVideoFrameCallback(drawn)
        if (element.paused || element !== leader()) return
        // Between two frames of an uneven video, a step would seem to do nothing.
        setAt(mediaTime)
        if (seen.current.length >= FRAMES_SEEN) return
        seen.current.push(mediaTime)
        if (seen.current.length === FRAMES_SEEN) setRate(rateOf(seen.current))
      }
      request = element.requestVideoFrameCallback(drawn)
      return () => element.cancelVideoFrameCallback(request)
    })
    return () => {
      for (const end of watched) end()
    }
  }, [elements, leader, videos.map(({ src }) => src).join()])
  useEffect(() => {
    for (const element of elements()) {
      element.playbackRate = speed
      element.loop = isLooped && element === leader()
    }
  })

  const seek = (seconds: number) => {
    for (const element of elements()) element.currentTime = Math.min(Math.max(0, seconds), endOf(element))
  }
  const step = (frames: number) => {
    const leads = leader()
    if (!leads) return
    for (const element of elements()) element.pause()
    seek(timeOf(Math.max(0, frameAt(leads.currentTime, rate) + frames), rate))
  }
  const play = () => {
    const leads = leader()
    // A pause before it plays rejects too; what can't be played is an error of the element.
    if (leads?.paused) void leads.play().catch(() => {})
    else leads?.pause()
  }
  useKeys({ ',': () => step(-1), '.': () => step(1), k: play, l: () => setLooped(!isLooped) })

  if (failed !== undefined)
    return <Notice>This browser can’t play the video of version {failed}. Download it, or choose another version.</Notice>
  return (
    <>
      <div ref={frame} className={`grid grid-cols-1 gap-2 ${full ? 'min-h-0 flex-1' : 'h-[min(60vh,36rem)]'} ${layout}`}>
        {videos.map(({ version, src }) => (
          <div key={version} className="grid min-h-0 min-w-0 grid-cols-1 grid-rows-[minmax(0,1fr)_auto] gap-1">
            <video
              src={src}
              aria-label={`${name}, version ${version}`}
              muted
              playsInline
              preload="auto"
              onLoadedMetadata={({ currentTarget }) => {
                // The one that joins shows the moment that the other shows.
                if (at > 0) currentTarget.currentTime = Math.min(at, endOf(currentTarget))
              }}
              onDurationChange={() => setLength(endOf(leader()!))}
              onTimeUpdate={({ currentTarget }) => {
                if (currentTarget !== leader()) return
                setAt(currentTarget.currentTime)
                follow()
              }}
              onPlay={({ currentTarget }) => {
                if (currentTarget !== leader()) return
                setPlaying(true)
                follow()
              }}
              onPause={({ currentTarget }) => {
                if (currentTarget !== leader()) return
                setPlaying(false)
                follow()
              }}
              onError={() => setFailed(version)}
              className="size-full rounded-md border border-line bg-black object-contain"
            />
            <p className="text-center text-xs text-soft">Version {version}</p>
          </div>
        ))}
      </div>
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={timecode(at, rate)}
        min={0}
        max={Number.isFinite(length) ? length || 1 : at + 1}
        step={1 / rate}
        value={at}
        onChange={(event) => seek(Number(event.target.value))}
        className="w-full accent-accent"
      />
      <div role="toolbar" aria-label="Video tools" className="flex flex-wrap items-center gap-1.5">
        {buttons}
        <Button aria-label="Previous frame" aria-keyshortcuts="," title="Previous frame (,)" onClick={() => step(-1)}>
          ◂|
        </Button>
        <Button look="main" aria-keyshortcuts="k" title="Play or pause (k)" onClick={play}>
          {isPlaying ? 'Pause' : 'Play'}
        </Button>
        <Button aria-label="Next frame" aria-keyshortcuts="." title="Next frame (.)" onClick={() => step(1)}>
          |▸
        </Button>
        <Button
          aria-pressed={isLooped}
          look={isLooped ? 'plain' : 'quiet'}
          aria-keyshortcuts="l"
          title="Loop (l)"
          onClick={() => setLooped(!isLooped)}
        >
          Loop
        </Button>
        <Filter
          label="Speed"
          value={String(speed)}
          onChange={(value) => setSpeed(Number(value))}
          options={SPEEDS.map((one) => [String(one), `${one}×`])}
        />
        <output aria-label="Timecode" className="font-mono text-sm tabular-nums">
          {timecode(at, rate)}
        </output>
        <span className="text-xs text-soft">
          {Number.isFinite(length) && `of ${timecode(length, rate)}, `}
          {rate} frames/s
        </span>
      </div>
    </>
  )
}

/** Of a recording without a length: infinity. */
const endOf = ({ duration }: HTMLVideoElement): number => (Number.isNaN(duration) ? 0 : duration)
