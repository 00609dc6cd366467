import '@google/model-viewer/lib/model-viewer.js'
import { $loader } from '@google/model-viewer/lib/three-components/CachingGLTFLoader.js'
import { Renderer } from '@google/model-viewer/lib/three-components/Renderer.js'
import { createElement, useEffect, useRef, useState } from 'react'
import { Texture } from 'three'
import { Button } from '../../ui/form/button.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Notice } from '../../ui/notice.tsx'
import { refusalOf } from './model-file.ts'
import { besideClass, MOVING_MODES, useMode } from './modes.tsx'
import { type OfAsset, type Preview, previewUrl } from './previews.ts'

interface Parser {
  json: { images: { bufferView?: number; mimeType?: string }[] }
  getDependency(type: 'bufferView', index: number): Promise<ArrayBuffer>
  loadImageSource(index: number): Promise<Texture>
}

// The loader would fetch textures from blob: URLs, which the content security policy refuses: they are decoded directly.
Renderer.singleton.loader[$loader].register((parser: Parser) => {
  parser.loadImageSource = async (index) => {
    const { bufferView, mimeType } = parser.json.images[index]!
    if (bufferView === undefined) throw new Error('A texture is outside of the file')
    const bytes = await parser.getDependency('bufferView', bufferView)
    const texture = new Texture(
      await createImageBitmap(new Blob([bytes], { type: mimeType ?? 'image/png' }), {
        colorSpaceConversion: 'none',
        premultiplyAlpha: 'none',
      }),
    )
    texture.flipY = false
    texture.needsUpdate = true
    texture.userData.mimeType = mimeType
    return texture
  }
  return { name: 'textures_of_the_file' }
})

/** One press of a key or button. */
const TURN_DEGREES = 15

interface Element extends HTMLElement {
  cameraOrbit: string
  cameraTarget: string
  fieldOfView: string
  readonly loaded: boolean
  readonly turntableRotation: number
  getCameraOrbit(): { theta: number; phi: number; radius: number }
  getCameraTarget(): object
  getFieldOfView(): number
  jumpCameraToGoal(): void
  resetTurntableRotation(theta?: number): void
  zoom(steps: number): void
}

interface Props {
  of: OfAsset
  name: string
  after: Preview
  before: Preview | undefined
  full: boolean
}

/** A glTF model that turns by mouse, touch, arrow keys or buttons, alone or in step with another version. */
export default function ModelViewer({ of, name, after, before, full }: Props) {
  const { mode, buttons } = useMode(MOVING_MODES, before !== undefined)
  const frame = useRef<HTMLDivElement>(null)
  const [isTurning, setTurning] = useState(false)
  const shown = mode === 'beside' ? [before!, after] : [after]
  const elements = () => [...(frame.current?.querySelectorAll<Element>('model-viewer') ?? [])]
  useInStep(frame, isTurning, shown.length > 1)
  /** The newest: others follow it. */
  const act = (work: (element: Element) => void) => {
    const element = elements().at(-1)
    if (!element) return
    frame.current!.dispatchEvent(new CustomEvent(LEADS, { detail: element }))
    work(element)
  }
  const turn = (degrees: number) =>
    act((element) => {
      const { theta, phi, radius } = element.getCameraOrbit()
      element.cameraOrbit = `${theta + (degrees * Math.PI) / 180}rad ${phi}rad ${radius}m`
    })
  return (
    <>
      <div
        ref={frame}
        className={`grid grid-cols-1 gap-2 ${full ? 'min-h-0 flex-1' : 'h-[min(60vh,36rem)]'} ${besideClass(mode)}`}
      >
        {shown.map((preview, i) => (
          <div key={preview.version} className="grid min-h-0 min-w-0 grid-cols-1 grid-rows-[minmax(0,1fr)_auto] gap-1">
            <Model
              src={previewUrl(of, preview, 'original')}
              name={`${name}, version ${preview.version}`}
              isTurning={isTurning && i === shown.length - 1}
            />
            <p className="text-center text-xs text-soft">Version {preview.version}</p>
          </div>
        ))}
      </div>
      <div role="toolbar" aria-label="Model tools" className="flex flex-wrap items-center gap-1.5">
        {buttons}
        <Button onClick={() => turn(-TURN_DEGREES)}>Turn left</Button>
        <Button onClick={() => turn(TURN_DEGREES)}>Turn right</Button>
        <Button aria-label="Zoom in" onClick={() => act((element) => element.zoom(1))}>
          +
        </Button>
        <Button aria-label="Zoom out" onClick={() => act((element) => element.zoom(-1))}>
          −
        </Button>
        <Button
          onClick={() =>
            act((element) => {
              element.cameraOrbit = 'auto auto auto'
              element.cameraTarget = 'auto auto auto'
              element.fieldOfView = 'auto'
              element.resetTurntableRotation()
            })
          }
        >
          Reset view
        </Button>
        <Button aria-pressed={isTurning} look={isTurning ? 'plain' : 'quiet'} onClick={() => setTurning(!isTurning)}>
          Rotate
        </Button>
        <span className="text-sm text-soft">Drag, use the wheel, or select the model and press the arrow keys.</span>
      </div>
    </>
  )
}

/** Names the model whose camera the others follow. */
const LEADS = 'model-leads'

/** Two models have one camera: that of the model which somebody touched last. The same distance for both shows which one is larger. */
function useInStep(frame: { readonly current: HTMLElement | null }, isTurning: boolean, isCompared: boolean) {
  useEffect(() => {
    const element = frame.current
    if (!element || !isCompared) return
    const models = () => [...element.querySelectorAll<Element>('model-viewer')]
    let leads = models().at(-1)
    const follow = () => {
      const first = leads ?? models().at(-1)
      // Before it is loaded, a model has no camera that could be set or read.
      if (!first?.loaded) return
      const { theta, phi, radius } = first.getCameraOrbit()
      for (const other of models()) {
        if (other === first || !other.loaded) continue
        other.cameraOrbit = `${theta}rad ${phi}rad ${radius}m`
        other.cameraTarget = String(first.getCameraTarget())
        other.fieldOfView = `${first.getFieldOfView()}deg`
        other.resetTurntableRotation(first.turntableRotation)
        other.jumpCameraToGoal()
      }
    }
    const touched = ({ target }: Event) => {
      leads = (target as HTMLElement).closest<Element>('model-viewer') ?? leads
    }
    const named = ({ detail }: CustomEvent<Element>) => {
      leads = detail
    }
    const changed = ({ target }: Event) => target === (leads ?? models().at(-1)) && follow()
    const touches = ['pointerdown', 'wheel', 'keydown'] as const
    for (const type of touches) element.addEventListener(type, touched, { capture: true, passive: true })
    element.addEventListener(LEADS, named as EventListener)
    // Neither event bubbles.
    element.addEventListener('camera-change', changed, true)
    element.addEventListener('load', follow, true)
    let request = 0
    const turning = () => {
      follow()
      request = requestAnimationFrame(turning)
    }
    if (isTurning) turning()
    else follow()
    return () => {
      cancelAnimationFrame(request)
      for (const type of touches) element.removeEventListener(type, touched, true)
      element.removeEventListener(LEADS, named as EventListener)
      element.removeEventListener('camera-change', changed, true)
      element.removeEventListener('load', follow, true)
    }
  }, [frame, isTurning, isCompared])
}

function Model({ src, name, isTurning }: { src: string; name: string; isTurning: boolean }) {
  const element = useRef<Element>(null)
  const [refusal, setRefusal] = useState<string | null>()
  useEffect(() => {
    const stop = new AbortController()
    setRefusal(undefined)
    fetch(src, { signal: stop.signal })
      .then(async (reply) => setRefusal(reply.ok ? (refusalOf(await reply.arrayBuffer()) ?? null) : 'Can’t load the model'))
      .catch(() => stop.signal.aborted || setRefusal('Can’t load the model'))
    return () => stop.abort()
  }, [src])
  useEffect(() => {
    const viewer = element.current
    if (!viewer || refusal !== null) return
    // Two models would have regions with one name.
    viewer.shadowRoot?.querySelector('[role="region"][aria-label]')?.setAttribute('aria-label', `Announcements of ${name}`)
    const fail = () => setRefusal('The model is damaged, or this browser can’t draw in 3D')
    viewer.addEventListener('error', fail)
    return () => viewer.removeEventListener('error', fail)
  }, [refusal, name])
  if (refusal === undefined) return <Loading />
  if (refusal !== null) return <Notice>{refusal}.</Notice>
  return (
    <div className="checkered overflow-clip rounded-md border border-line">
      {createElement('model-viewer', {
        ref: element,
        src,
        alt: name,
        class: 'size-full',
        style: { width: '100%', height: '100%' },
        'camera-controls': true,
        'touch-action': 'pan-y',
        'interaction-prompt': 'none',
        'shadow-intensity': '1',
        'auto-rotate': isTurning || undefined,
      })}
    </div>
  )
}
