import type { AssetType } from '../../contract/sets.ts'
import { levelOf } from './levels.ts'

const EXTENSIONS: Partial<Record<AssetType, string>> = {
  texture: 'png jpg jpeg tga bmp tif tiff psd exr hdr dds ktx svg',
  model: 'fbx obj gltf glb blend ma mb max usd usda usdc usdz stl dae',
  audio: 'wav mp3 ogg flac aif aiff bank wem',
  script: 'cs cpp cc c h hpp inl lua py js ts gd rs go java kt swift rb',
  level: 'umap unity tscn',
  material: 'mat mtl material',
  animation: 'anim bvh controller',
  archive: 'zip 7z rar gz tar pak',
  shader: 'hlsl glsl usf ush shader cg vert frag comp metal',
  config: 'ini json yaml yml toml xml cfg uproject uplugin asmdef meta',
  document: 'md txt pdf doc docx xls xlsx csv',
  font: 'ttf otf woff woff2',
  video: 'mp4 mov avi mkv webm bik',
}
const TYPE_OF_EXTENSION: ReadonlyMap<string, AssetType> = new Map(
  Object.entries(EXTENSIONS).flatMap(([type, list]) =>
    list.split(' ').map((extension) => [extension, type as AssetType] as const),
  ),
)

/** Engine assets share one file extension; teams tell them apart by the usual name prefixes. */
const PREFIXES: readonly [prefix: RegExp, type: AssetType][] = [
  [/^(?:T|TX|RT|HDR)_/, 'texture'],
  [/^(?:SM|SK|SKM)_/, 'model'],
  [/^(?:AM|ABP|BS|AS|AO)_/, 'animation'],
  [/^(?:A|SFX|MUS|S|SW|SC)_/, 'audio'],
  [/^(?:MI|M|MF|MPC|PM)_/, 'material'],
  [/^(?:L|LV|LVL|MAP)_/, 'level'],
  [/^(?:MS|MOV)_/, 'video'],
  [/^F_/, 'font'],
]

/** The asset type of a file by its name, or undefined if it is not an asset. */
export function assetTypeOf(path: string): AssetType | undefined {
  const name = path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
  const extension = name.slice(name.lastIndexOf('.') + 1).toLowerCase()
  if (!name.includes('.')) return undefined
  if (levelOf(path) !== undefined) return 'level'
  if (extension === 'uasset' || extension === 'prefab') return PREFIXES.find(([prefix]) => prefix.test(name))?.[1] ?? 'model'
  return TYPE_OF_EXTENSION.get(extension)
}
