import '@google/model-viewer/lib/model-viewer.js'
import { $loader } from '@google/model-viewer/lib/three-components/CachingGLTFLoader.js'
import { Renderer } from '@google/model-viewer/lib/three-components/Renderer.js'
import { createElement, useEffect, useRef, useState } from 'react'
import { Texture } from 'three'
import { Button } from '../../ui/form/button.tsx'
import { Loading } from '../../ui/infinite-list.tsx'
import { Notice } from '../../ui/notice.tsx'
import { refusalOf } from './model-file.ts'

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
  getCameraOrbit(): { theta: number; phi: number; radius: number }
  resetTurntableRotation(): void
  zoom(steps: number): void
}

/** A glTF model that turns: by mouse, touch, arrow keys or buttons. */
export default function ModelViewer({ src, name, full }: { src: string; name: string; full: boolean }) {
  const element = useRef<Element>(null)
  const [refusal, setRefusal] = useState<string | null>()
  const [isTurning, setTurning] = useState(false)
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
    const fail = () => setRefusal('The model is damaged, or this browser can’t draw in 3D')
    viewer.addEventListener('error', fail)
    return () => viewer.removeEventListener('error', fail)
  }, [refusal])
  if (refusal === undefined) return <Loading />
  if (refusal !== null) return <Notice>{refusal}.</Notice>
  const turn = (degrees: number) => {
    const viewer = element.current!
    const { theta, phi, radius } = viewer.getCameraOrbit()
    viewer.cameraOrbit = `${theta + (degrees * Math.PI) / 180}rad ${phi}rad ${radius}m`
  }
  return (
    <>
      <div className={`checkered overflow-clip rounded-md border border-line ${full ? 'min-h-0 flex-1' : 'h-[min(60vh,36rem)]'}`}>
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
      <div role="toolbar" aria-label="Model tools" className="flex flex-wrap items-center gap-1.5">
        <Button onClick={() => turn(-TURN_DEGREES)}>Turn left</Button>
        <Button onClick={() => turn(TURN_DEGREES)}>Turn right</Button>
        <Button aria-label="Zoom in" onClick={() => element.current!.zoom(1)}>
          +
        </Button>
        <Button aria-label="Zoom out" onClick={() => element.current!.zoom(-1)}>
          −
        </Button>
        <Button
          onClick={() => {
            element.current!.cameraOrbit = 'auto auto auto'
            element.current!.resetTurntableRotation()
          }}
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
