import { useCallback, useEffect, useRef, useState } from 'react'
import { useKeys } from '../../keys.ts'
import { Button } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { Notice } from '../../ui/notice.tsx'
import { frameAt, rateOf, timecode, timeOf, USUAL_RATE } from './timecode.ts'

const SPEEDS = [0.1, 0.25, 0.5, 1, 2]
/** Enough to tell how far frames are apart. */
const FRAMES_SEEN = 24

/** A video, frame by frame. */
export function VideoViewer({ src, name, full }: { src: string; name: string; full: boolean }) {
  const video = useRef<HTMLVideoElement>(null)
  const [at, setAt] = useState(0)
  const [length, setLength] = useState(0)
  const [isPlaying, setPlaying] = useState(false)
  const [isLooped, setLooped] = useState(true)
  const [speed, setSpeed] = useState(1)
  const [failed, setFailed] = useState(false)
  const [rate, setRate] = useState(USUAL_RATE)
  const seen = useRef<number[]>([])

  // The browser tells the exact time of each frame that it draws.
  useEffect(() => {
    const element = video.current
    if (!element?.requestVideoFrameCallback) return
    let request = 0
    const drawn = (_: number, { mediaTime }: { mediaTime: number }) => {
      // Between two frames of an uneven video, a step would seem to do nothing.
      if (!element.paused) setAt(mediaTime)
      if (!element.paused && seen.current.length < FRAMES_SEEN) {
        seen.current.push(mediaTime)
        if (seen.current.length === FRAMES_SEEN) setRate(rateOf(seen.current))
      }
      request = element.requestVideoFrameCallback(drawn)
    }
    request = element.requestVideoFrameCallback(drawn)
    return () => element.cancelVideoFrameCallback(request)
  }, [])
  useEffect(() => {
    if (video.current) video.current.playbackRate = speed
  }, [speed])

  const seek = useCallback((seconds: number) => {
    const element = video.current
    if (element) element.currentTime = Math.min(Math.max(0, seconds), element.duration || 0)
  }, [])
  const step = (frames: number) => {
    const element = video.current
    if (!element) return
    element.pause()
    seek(timeOf(Math.max(0, frameAt(element.currentTime, rate) + frames), rate))
  }
  const play = () => {
    const element = video.current
    if (element?.paused) void element.play().catch(() => setFailed(true))
    else element?.pause()
  }
  useKeys({ ',': () => step(-1), '.': () => step(1), k: play, l: () => setLooped(!isLooped) })

  if (failed) return <Notice>This browser can’t play the video. Download it instead.</Notice>
  return (
    <>
      <video
        ref={video}
        src={src}
        aria-label={name}
        muted
        playsInline
        loop={isLooped}
        preload="auto"
        onLoadedMetadata={({ currentTarget }) => setLength(currentTarget.duration)}
        onTimeUpdate={({ currentTarget }) => setAt(currentTarget.currentTime)}
        onPlay={() => setPlaying(true)}
        onPause={() => setPlaying(false)}
        onError={() => setFailed(true)}
        className={`w-full rounded-md border border-line bg-black object-contain ${full ? 'min-h-0 flex-1' : 'h-[min(60vh,36rem)]'}`}
      />
      <input
        type="range"
        aria-label="Position"
        aria-valuetext={timecode(at, rate)}
        min={0}
        max={length || 1}
        step={1 / rate}
        value={at}
        onChange={(event) => seek(Number(event.target.value))}
        className="w-full accent-accent"
      />
      <div role="toolbar" aria-label="Video tools" className="flex flex-wrap items-center gap-1.5">
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
          of {timecode(length, rate)}, {rate} frames/s
        </span>
      </div>
    </>
  )
}
