import { expect, test } from 'vitest'
import { glb } from '../../../../test/support/files/glb.ts'
import { refusalOf } from './model-file.ts'

const given = (bytes: Uint8Array) => new Uint8Array(bytes).buffer

test('a model whose data is inside the file can be shown', () => {
  expect(refusalOf(given(glb({})))).toBe(undefined)
})

test('a model with compression or parts outside of the file is refused with the reason', () => {
  expect(refusalOf(given(glb({ extensionsUsed: ['KHR_draco_mesh_compression'] })))).toContain('Draco')
  expect(refusalOf(given(glb({ extensionsUsed: ['KHR_texture_basisu'] })))).toContain('KTX2')
  expect(refusalOf(given(glb({ images: [{ uri: 'https://example.com/x.png' }] })))).toContain('other files')
  expect(refusalOf(given(glb({ buffers: [{ uri: '//example.com/x.bin', byteLength: 1 }] })))).toContain('other files')
  expect(refusalOf(given(glb({ extensionsUsed: ['toString', 'constructor'] })))).toBe(undefined)
})

test('what is no glTF binary file is refused, however it is cut', () => {
  const whole = glb({})
  for (const end of [0, 3, 19, 40]) expect(refusalOf(given(whole.subarray(0, end)))).toContain('not a glTF binary file')
  const lying = Buffer.from(whole)
  lying.writeUInt32LE(0xffffffff, 12)
  expect(refusalOf(given(lying))).toContain('not a glTF binary file')
  expect(refusalOf(given(Buffer.from('<html><script>alert(1)</script></html>')))).toContain('not a glTF binary file')
  const broken = Buffer.from(whole)
  broken.write('{{{{', 20)
  expect(refusalOf(given(broken))).toContain('not a glTF binary file')
})
