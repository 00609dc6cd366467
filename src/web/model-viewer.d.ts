/** The parts of the model viewer that we use; its own types need those of three.js. */
declare module '@google/model-viewer/lib/model-viewer.js'
declare module '@google/model-viewer/lib/three-components/CachingGLTFLoader.js' {
  export const $loader: unique symbol
}
declare module '@google/model-viewer/lib/three-components/Renderer.js' {
  import type { $loader } from '@google/model-viewer/lib/three-components/CachingGLTFLoader.js'

  interface Loader {
    // biome-ignore lint/suspicious/noExplicitAny: a parser has more than we use
    register(plugin: (parser: any) => { name: string }): void
  }
  export const Renderer: { singleton: { loader: { [$loader]: Loader } } }
}
declare module 'three' {
  export class Texture {
    constructor(picture: ImageBitmap)
    flipY: boolean
    needsUpdate: boolean
    userData: Record<string, unknown>
  }
}
