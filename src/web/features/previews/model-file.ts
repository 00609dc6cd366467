/** What the viewer can't show: decoders for these would have to be compiled from data, which the content security policy refuses. */
const UNSUPPORTED: Record<string, string> = {
  KHR_draco_mesh_compression: 'Draco compression',
  EXT_meshopt_compression: 'meshopt compression',
  KHR_meshopt_compression: 'meshopt compression',
  KHR_texture_basisu: 'Basis textures (KTX2)',
}

const MAGIC = 0x46546c67
const JSON_CHUNK = 0x4e4f534a

interface Gltf {
  extensionsUsed?: string[]
  images?: { uri?: string }[]
  buffers?: { uri?: string }[]
}

/** Why a glTF binary file can't be shown; undefined if it can. Nothing outside of the file is ever loaded. */
export function refusalOf(file: ArrayBuffer): string | undefined {
  const gltf = readGltf(file)
  if (!gltf) return 'The file is not a glTF binary file (.glb)'
  const used = Array.isArray(gltf.extensionsUsed) ? gltf.extensionsUsed : []
  const unsupported = used.map((extension) => Object.hasOwn(UNSUPPORTED, extension) && UNSUPPORTED[extension]).find((one) => one)
  if (unsupported) return `The model uses ${unsupported}, which the viewer can’t show. Export it without`
  const outside = [gltf.images, gltf.buffers].some((list) => Array.isArray(list) && list.some((one) => one?.uri !== undefined))
  if (outside) return 'The model refers to other files. Export it as one .glb file'
  return undefined
}

function readGltf(file: ArrayBuffer): Gltf | undefined {
  if (file.byteLength < 20) return undefined
  const view = new DataView(file)
  const length = view.getUint32(12, true)
  if (view.getUint32(0, true) !== MAGIC || view.getUint32(4, true) !== 2 || view.getUint32(16, true) !== JSON_CHUNK)
    return undefined
  if (20 + length > file.byteLength) return undefined
  try {
    const read: unknown = JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(new Uint8Array(file, 20, length)))
    return typeof read === 'object' && read !== null ? read : undefined
  } catch {
    return undefined
  }
}
