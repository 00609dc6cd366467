/** A small glTF binary file: a colored triangle, with a texture if one is given. */
export function glb(more: object, texture?: Buffer): Buffer {
  const positions = Buffer.alloc(36)
  for (const [i, value] of [-1, -1, 0, 1, -1, 0, 0, 1, 0].entries()) positions.writeFloatLE(value, 4 * i)
  const coordinates = Buffer.alloc(24)
  for (const [i, value] of [0, 1, 1, 1, 0.5, 0].entries()) coordinates.writeFloatLE(value, 4 * i)
  const data = padded(Buffer.concat([positions, coordinates, texture ?? Buffer.alloc(0)]), 0)
  const gltf = {
    asset: { version: '2.0' },
    scene: 0,
    scenes: [{ nodes: [0] }],
    nodes: [{ mesh: 0 }],
    meshes: [{ primitives: [{ attributes: { POSITION: 0, TEXCOORD_0: 1 }, material: 0 }] }],
    materials: [
      {
        doubleSided: true,
        pbrMetallicRoughness: {
          baseColorFactor: [1, 0.2, 0.1, 1],
          metallicFactor: 0,
          ...(texture && { baseColorTexture: { index: 0 } }),
        },
      },
    ],
    accessors: [
      { bufferView: 0, componentType: 5126, count: 3, type: 'VEC3', min: [-1, -1, 0], max: [1, 1, 0] },
      { bufferView: 1, componentType: 5126, count: 3, type: 'VEC2' },
    ],
    bufferViews: [
      { buffer: 0, byteOffset: 0, byteLength: 36 },
      { buffer: 0, byteOffset: 36, byteLength: 24 },
      ...(texture ? [{ buffer: 0, byteOffset: 60, byteLength: texture.length }] : []),
    ],
    buffers: [{ byteLength: data.length }],
    ...(texture && { textures: [{ source: 0 }], images: [{ bufferView: 2, mimeType: 'image/png' }] }),
    ...more,
  }
  const json = padded(Buffer.from(JSON.stringify(gltf)), 0x20)
  const chunk = (type: number, body: Buffer) => Buffer.concat([words(body.length, type), body])
  const chunks = [chunk(0x4e4f534a, json), chunk(0x004e4942, data)]
  return Buffer.concat([words(0x46546c67, 2, 12 + chunks.reduce((sum, { length }) => sum + length, 0)), ...chunks])
}

const padded = (body: Buffer, filler: number) => Buffer.concat([body, Buffer.alloc(-body.length & 3, filler)])
const words = (...values: number[]) => {
  const bytes = Buffer.alloc(4 * values.length)
  for (const [i, value] of values.entries()) bytes.writeUInt32LE(value, 4 * i)
  return bytes
}
