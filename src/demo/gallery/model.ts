import { Random } from '../random.ts'
import type { Subject } from './pictures.ts'

const [RINGS, SEGMENTS] = [24, 32]

/** A marble with a colored swirl, as a glTF file that turns in the browser. */
export function modelOf({ path, version }: Subject): Buffer<ArrayBuffer> {
  const random = new Random(path)
  const [swirl, tint] = [random.between(3, 7), random.next()]
  const positions: number[] = []
  const colors: number[] = []
  for (let ring = 0; ring <= RINGS; ring++)
    for (let segment = 0; segment <= SEGMENTS; segment++) {
      const [polar, around] = [(Math.PI * ring) / RINGS, (2 * Math.PI * segment) / SEGMENTS]
      positions.push(Math.sin(polar) * Math.cos(around), Math.cos(polar), Math.sin(polar) * Math.sin(around))
      const band = 0.5 + 0.5 * Math.sin(swirl * polar + 2 * around + version)
      colors.push(0.1 + 0.8 * band * tint, 0.2 + 0.5 * band, 0.35 + 0.5 * (1 - band), 1)
    }
  const indices = Array.from({ length: RINGS * SEGMENTS }, (_, i) => {
    const at = Math.floor(i / SEGMENTS) * (SEGMENTS + 1) + (i % SEGMENTS)
    return [at, at + 1, at + SEGMENTS + 1, at + 1, at + SEGMENTS + 2, at + SEGMENTS + 1]
  }).flat()
  return packed(positions, colors, indices)
}

function packed(positions: number[], colors: number[], indices: number[]): Buffer<ArrayBuffer> {
  const parts = [
    Buffer.from(Float32Array.from(positions).buffer),
    Buffer.from(Float32Array.from(colors).buffer),
    Buffer.from(Uint16Array.from(indices).buffer),
  ]
  const count = positions.length / 3
  let offset = 0
  const bufferViews = parts.map(({ length }) => {
    const view = { buffer: 0, byteOffset: offset, byteLength: length }
    offset += length
    return view
  })
  const data = padded(Buffer.concat(parts), 0)
  const gltf = {
    asset: { version: '2.0', generator: 'Goldmaster demo' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    // The normals of a ball are its positions.
    meshes: [{ primitives: [{ attributes: { POSITION: 0, NORMAL: 0, COLOR_0: 1 }, indices: 2, material: 0 }] }],
    materials: [{ pbrMetallicRoughness: { metallicFactor: 0, roughnessFactor: 0.15 } }],
    accessors: [
      { bufferView: 0, componentType: 5126, count, type: 'VEC3', min: [-1, -1, -1], max: [1, 1, 1] },
      { bufferView: 1, componentType: 5126, count, type: 'VEC4' },
      { bufferView: 2, componentType: 5123, count: indices.length, type: 'SCALAR' },
    ],
    bufferViews,
    buffers: [{ byteLength: data.length }],
  }
  const json = padded(Buffer.from(JSON.stringify(gltf)), 0x20)
  const part = (type: number, body: Buffer) => Buffer.concat([words(body.length, type), body])
  const chunks = Buffer.concat([part(0x4e4f534a, json), part(0x004e4942, data)])
  return Buffer.concat([words(0x46546c67, 2, 12 + chunks.length), chunks])
}

const padded = (body: Buffer, filler: number) => Buffer.concat([body, Buffer.alloc(-body.length & 3, filler)])
const words = (...values: number[]) => Buffer.from(Uint32Array.from(values).buffer)
