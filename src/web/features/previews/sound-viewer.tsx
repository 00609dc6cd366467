import { useRef, useState } from 'react'
import { useKeys } from '../../keys.ts'
import { Button } from '../../ui/form/button.tsx'
import { type OfAsset, type Preview, previewUrl } from './previews.ts'

interface Props {
  of: OfAsset
  /** The newest first. */
  versions: readonly Preview[]
}

/** The waves of one or two versions, each with its sound. */
export const SoundViewer = ({ of, versions }: Props) => (
  <div className="grid grid-cols-1 gap-4">
    {versions.map((preview, i) => (
      <Sound key={preview.version} of={of} preview={preview} hasKey={i === 0} />
    ))}
  </div>
)

const seconds = (value: number) => `${Math.floor(value / 60)}:${(value % 60).toFixed(1).padStart(4, '0')}`

function Sound({ of, preview, hasKey }: { of: OfAsset; preview: Preview; hasKey: boolean }) {
  const audio = useRef<HTMLAudioElement>(null)
  const [at, setAt] = useState(0)
  const [length, setLength] = useState(0)
  const [isPlaying, setPlaying] = useState(false)
  const [failed, setFailed] = useState(false)
  const canPlay = preview.original !== null && !failed
  const play = () => {
    const element = audio.current
    // A pause before it plays rejects too; what can't be played is an error of the element.
    if (element?.paused) void element.play().catch(() => {})
    else element?.pause()
  }
  useKeys(hasKey && canPlay ? { k: play } : {})
  return (
    <div className="grid grid-cols-1 gap-2">
      <div className="relative overflow-clip rounded-md border border-line bg-canvas">
        <img
          src={previewUrl(of, preview, 'large')}
          alt={`Waveform of version ${preview.version}`}
          className="h-40 w-full object-fill"
        />
        {length > 0 && (
          <span aria-hidden="true" style={{ left: `${(100 * at) / length}%` }} className="absolute inset-y-0 w-0.5 bg-accent" />
        )}
      </div>
      {canPlay ? (
        <div className="flex flex-wrap items-center gap-2">
          {/* biome-ignore lint/a11y/useMediaCaption: sounds of a game have no captions */}
          <audio
            ref={audio}
            src={previewUrl(of, preview, 'original')}
            preload="metadata"
            onLoadedMetadata={({ currentTarget }) =>
              setLength(Number.isFinite(currentTarget.duration) ? currentTarget.duration : 0)
            }
            onTimeUpdate={({ currentTarget }) => setAt(currentTarget.currentTime)}
            onPlay={({ currentTarget }) => {
              setPlaying(true)
              for (const other of document.querySelectorAll('audio')) if (other !== currentTarget) other.pause()
            }}
            onPause={() => setPlaying(false)}
            onError={() => setFailed(true)}
          />
          <Button
            look={hasKey ? 'main' : 'plain'}
            aria-label={`${isPlaying ? 'Pause' : 'Play'} version ${preview.version}`}
            {...(hasKey && { 'aria-keyshortcuts': 'k', title: 'Play or pause (k)' })}
            onClick={play}
          >
            {isPlaying ? 'Pause' : 'Play'}
          </Button>
          <input
            type="range"
            aria-label={`Position in version ${preview.version}`}
            aria-valuetext={seconds(at)}
            min={0}
            max={length || 1}
            step={0.01}
            value={at}
            onChange={(event) => {
              if (audio.current) audio.current.currentTime = Number(event.target.value)
            }}
            className="min-w-40 flex-1 accent-accent"
          />
          <span className="text-xs tabular-nums text-soft">
            {seconds(at)} of {seconds(length)} · version {preview.version}
          </span>
        </div>
      ) : (
        <p className="text-sm text-soft">
          Version {preview.version}: {failed ? 'this browser can’t play the sound.' : 'only the wave of the sound is stored.'}
        </p>
      )}
    </div>
  )
}
