import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import type { AssetType } from '../../../contract/sets.ts'
import { useKeys } from '../../keys.ts'
import { useLocked } from '../../session.ts'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Failed } from '../../ui/notice.tsx'
import type { Commented } from '../comments/queries.ts'
import { useComments } from '../comments/queries.ts'
import { isolate } from './isolate.ts'
import { PictureViewer } from './picture-viewer.tsx'
import { type Point, threadsOf } from './points.ts'
import { PreviewPicture } from './preview-picture.tsx'
import { type OfAsset, type Preview, type PreviewSummary, previewUrl, usePreviews } from './previews.ts'
import { SoundViewer } from './sound-viewer.tsx'
import { TextViewer } from './text-viewer.tsx'
import { ThreadPanel } from './thread-panel.tsx'
import { VideoViewer } from './video-viewer.tsx'

// 3D takes a megabyte of code: loaded with the first model.
const ModelViewer = lazy(() => import('./model-viewer.tsx'))

interface Props extends OfAsset {
  asset: { name: string; asset_type: AssetType; version: number; preview: PreviewSummary | null }
}

/** What the versions of an asset look like, with the points that people marked on them. */
export function Viewer({ asset, ...of }: Props) {
  const { data, error, refetch } = usePreviews(of)
  const versions = data?.previews.filter(({ state }) => state === 'ready') ?? []
  const [chosen, setChosen] = useState<{ after?: number; before?: number }>({})
  const [full, setFull] = useState(false)
  const frame = useFullScreen(full, setFull)
  const after = versions.find(({ version }) => version === chosen.after) ?? versions[0]
  const older = versions.filter((one) => one.version !== after?.version && one.kind === after?.kind)
  const before =
    chosen.before === 0
      ? undefined
      : (older.find(({ version }) => version === chosen.before) ?? older.find(({ version }) => version < after!.version))
  const step = (by: number) => {
    const next = versions[versions.findIndex(({ version }) => version === after?.version) + by]
    if (next) setChosen({ after: next.version })
  }
  useKeys(after ? { f: () => setFull(!full), '[': () => step(1), ']': () => step(-1) } : {})
  if (error && !data) return <Failed error={error} retry={() => void refetch()} />
  if (!data)
    return <PreviewPicture of={of} type={asset.asset_type} preview={asset.preview} size="large" className="h-80 w-full" />
  if (!after) return <Nothing of={of} asset={asset} />
  const nameOf = ({ version }: Preview) => `Version ${version}${version === asset.version ? ' (newest)' : ''}`
  return (
    <section
      ref={frame}
      aria-label="Viewer"
      className={
        full
          ? 'fixed inset-0 z-40 flex flex-col gap-2 overflow-y-auto bg-canvas p-3'
          : 'grid grid-cols-1 gap-3 rounded-lg border border-line bg-panel p-4'
      }
    >
      <div className="flex flex-wrap items-center gap-2">
        <h2 className="font-semibold">{full ? asset.name : 'Preview'}</h2>
        <Filter
          label="Version"
          value={String(after.version)}
          onChange={(value) => setChosen({ ...chosen, after: Number(value) })}
          options={versions.map((one) => [String(one.version), nameOf(one)])}
        />
        {older.length > 0 && (
          <Filter
            label="Compare with"
            value={String(before?.version ?? 0)}
            onChange={(value) => setChosen({ ...chosen, before: Number(value) })}
            options={[
              ['0', 'Not compared'],
              ...older.map((one) => [String(one.version), `Compare with v${one.version}`] as const),
            ]}
          />
        )}
        <span className="ml-auto flex flex-wrap items-center gap-2">
          {after.original && (
            <a href={previewUrl(of, after, 'original')} download className={buttonClass('quiet')}>
              Download
            </a>
          )}
          <Button aria-pressed={full} aria-keyshortcuts="f" title="Full screen (f)" onClick={() => setFull(!full)}>
            {full ? 'Exit full screen' : 'Full screen'}
          </Button>
        </span>
      </div>
      {asset.version > versions[0]!.version && asset.preview?.state !== 'ready' && (
        <p className="text-sm text-soft">
          Version {asset.version} has no preview
          {asset.preview?.state === 'pending' ? ' yet.' : asset.preview?.reason ? `: ${asset.preview.reason}` : '.'}
        </p>
      )}
      <Kind of={of} asset={asset} after={after} before={before} full={full} />
    </section>
  )
}

interface KindProps {
  of: OfAsset
  asset: Props['asset']
  after: Preview
  before: Preview | undefined
  full: boolean
}

function Kind({ of, asset, after, before, full }: KindProps) {
  if (after.kind === 'text') return <TextViewer key={after.version} of={of} after={after} before={before} />
  if (after.kind === 'waveform') return <SoundViewer of={of} versions={before ? [after, before] : [after]} />
  if (after.kind === 'video') return <VideoViewer of={of} name={asset.name} after={after} before={before} full={full} />
  if (after.kind === 'model')
    return (
      <Suspense fallback={<Loading />}>
        <ModelViewer of={of} name={asset.name} after={after} before={before} full={full} />
      </Suspense>
    )
  return <PointedPictures of={of} after={after} before={before} full={full} />
}

/** Pictures with their points. */
function PointedPictures({ of, after, before, full }: Omit<KindProps, 'asset'>) {
  const on: Commented = { subject: 'asset', projectId: of.projectId, id: of.assetId }
  const { data } = useComments(on)
  const locked = useLocked()
  const [selected, setSelected] = useState<{ version: number; point: Point } | null>(null)
  const [draft, setDraft] = useState<{ version: number; point: Point } | null>(null)
  const comments = data?.comments ?? []
  const selectedOn = (version: number) => (selected?.version === version ? selected.point : null)
  const panelOf = ({ version }: Preview) => (
    <ThreadPanel
      key={version}
      on={on}
      version={version}
      threads={threadsOf(comments, version)}
      selected={selectedOn(version)}
      select={(point) => setSelected(point && { version, point })}
      draft={draft?.version === version ? draft.point : null}
      endDraft={() => setDraft(null)}
    />
  )
  return (
    <>
      <PictureViewer
        of={of}
        after={after}
        before={before}
        full={full}
        pointsOf={(version) => ({
          threads: threadsOf(comments, version),
          selected: selectedOn(version),
          draft: draft?.version === version ? draft.point : null,
          select: (version, point) => setSelected({ version, point }),
          ...(locked === undefined && { place: (version: number, point: Point) => setDraft({ version, point }) }),
        })}
        shown={selected?.point ?? null}
      />
      {panelOf(after)}
      {before && panelOf(before)}
    </>
  )
}

const Nothing = ({ of, asset }: { of: OfAsset; asset: Props['asset'] }) => (
  <section aria-label="Viewer" className="flex flex-wrap items-center gap-4 rounded-lg border border-line bg-panel p-4">
    <PreviewPicture of={of} type={asset.asset_type} preview={null} className="size-14" />
    <p className="min-w-0 flex-1 text-sm text-soft">
      {asset.preview?.state === 'pending'
        ? 'The preview is being made.'
        : (asset.preview?.reason ?? 'No preview yet. Upload one with goldmaster previews upload, from your CI or with the API.')}
    </p>
  </section>
)

/** Covers the page; nothing behind can be reached, and Escape leaves. */
function useFullScreen(full: boolean, setFull: (full: boolean) => void) {
  const frame = useRef<HTMLElement>(null)
  useEffect(() => {
    const element = frame.current
    if (!full || !element) return
    const release = isolate(element)
    // Some phones don't allow it; the viewer still covers the page.
    document.documentElement.requestFullscreen?.().catch(() => {})
    const leave = (event: KeyboardEvent) => {
      if (event.key === 'Escape' && !event.defaultPrevented && !document.querySelector('dialog[open]')) setFull(false)
    }
    const changed = () => document.fullscreenElement === null && setFull(false)
    document.addEventListener('keydown', leave)
    document.addEventListener('fullscreenchange', changed)
    return () => {
      document.removeEventListener('keydown', leave)
      document.removeEventListener('fullscreenchange', changed)
      if (document.fullscreenElement) void document.exitFullscreen().catch(() => {})
      release()
    }
  }, [full, setFull])
  return frame
}
