import { crc32, deflateSync } from 'node:zlib'

/** Pictures as cameras and editors write them, with what they say about people and places. */
export const SECRET = 'Kim Example, 52.5200N'

const chunk = (type: string, body: Buffer): Buffer => {
  const named = Buffer.concat([Buffer.from(type, 'latin1'), body])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(body.length)
  sum.writeUInt32BE(crc32(named))
  return Buffer.concat([length, named, sum])
}

/** A gray png; `claimed` is the size in its header. */
export function png({
  width = 3,
  height = 2,
  claimed = [width, height] as [number, number],
  more = [] as Buffer[],
} = {}): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(claimed[0])
  header.writeUInt32BE(claimed[1], 4)
  header[8] = 8
  const rows = Buffer.alloc((width + 1) * height, 0x80)
  for (let row = 0; row < height; row++) rows[row * (width + 1)] = 0
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    chunk('IHDR', header),
    ...more,
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ])
}
/** A png with the color of each pixel. */
export function pngOf(width: number, height: number, colorOf: (x: number, y: number) => readonly number[]): Buffer<ArrayBuffer> {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width)
  header.writeUInt32BE(height, 4)
  header[8] = 8
  header[9] = 6
  const rows = Buffer.alloc((4 * width + 1) * height)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (const [i, value] of colorOf(x, y).entries()) rows[y * (4 * width + 1) + 1 + 4 * x + i] = value
  const signature = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0))])
}

export const personalChunks = () => [
  chunk('tEXt', Buffer.from(`Author\0${SECRET}`)),
  chunk('iTXt', Buffer.from(`XML:com.adobe.xmp\0\0\0\0\0${SECRET}`)),
  chunk('eXIf', Buffer.from(SECRET)),
  chunk('tIME', Buffer.from([7, 234, 1, 2, 3, 4, 5])),
  chunk('pHYs', Buffer.from([0, 0, 11, 19, 0, 0, 11, 19, 1])),
]

const segment = (marker: number, body: Buffer | string): Buffer => {
  const bytes = Buffer.from(body as string, 'latin1')
  const head = Buffer.from([0xff, marker, 0, 0])
  head.writeUInt16BE(bytes.length + 2, 2)
  return Buffer.concat([head, bytes])
}
const exif = (orientation: number) => {
  const tiff = Buffer.from('49492a0008000000020012010300010000000600000000000000', 'hex')
  tiff.writeUInt16LE(orientation, 18)
  return Buffer.concat([Buffer.from('Exif\0\0', 'latin1'), tiff, Buffer.from(SECRET)])
}
export const jpeg = ({ width = 4, height = 5, orientation = 6 } = {}): Buffer =>
  Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    segment(0xe0, 'JFIF\0\x01\x02\0\0\x01\0\x01\0\0'),
    segment(0xe1, exif(orientation)),
    segment(0xe1, `http://ns.adobe.com/xap/1.0/\0${SECRET}`),
    segment(0xed, `Photoshop 3.0\0${SECRET}`),
    segment(0xfe, SECRET),
    segment(0xe2, 'ICC_PROFILE\0\x01\x01profile'),
    segment(0xe2, `MPF\0${SECRET}`),
    Buffer.from([0xff]),
    segment(0xc0, Buffer.from([8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0])),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([1, 2, 0xff, 0, 3, 0xff, 0xd0, 4]),
    segment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.from([5, 6]),
    Buffer.from([0xff, 0xd9]),
    Buffer.from(`<script>${SECRET}</script>`),
  ])

export const gif = ({ width = 2, height = 1 } = {}): Buffer => {
  const size = Buffer.alloc(4)
  size.writeUInt16LE(width)
  size.writeUInt16LE(height, 2)
  const comment = Buffer.from(SECRET)
  return Buffer.concat([
    Buffer.from('GIF89a'),
    size,
    Buffer.from([0x80, 0, 0, 1, 2, 3, 4, 5, 6]),
    Buffer.from([0x21, 0xff, 11]),
    Buffer.from('NETSCAPE2.0'),
    Buffer.from([3, 1, 0, 0, 0]),
    Buffer.from([0x21, 0xfe, comment.length]),
    comment,
    Buffer.from([0]),
    Buffer.from([0x21, 0xff, 11]),
    Buffer.from('XMP DataXMP'),
    Buffer.from([comment.length]),
    comment,
    Buffer.from([0]),
    Buffer.from([0x2c, 0, 0, 0, 0]),
    size,
    Buffer.from([0, 2, 2, 0x44, 1, 0]),
    Buffer.from([0x3b]),
    Buffer.from(SECRET),
  ])
}

const riff = (type: string, body: Buffer) => {
  const head = Buffer.alloc(8)
  head.write(type, 'latin1')
  head.writeUInt32LE(body.length, 4)
  return Buffer.concat([head, body, Buffer.alloc(body.length % 2)])
}
export const webp = ({ width = 7, height = 8 } = {}): Buffer => {
  const extended = Buffer.alloc(10)
  extended[0] = 0x2c
  extended.writeUIntLE(width - 1, 4, 3)
  extended.writeUIntLE(height - 1, 7, 3)
  const parts = Buffer.concat([
    riff('VP8X', extended),
    riff('ICCP', Buffer.from('profile')),
    riff('VP8L', Buffer.from('2f0000000000000000000000', 'hex')),
    riff('EXIF', Buffer.from(SECRET)),
    riff('XMP ', Buffer.from(SECRET)),
  ])
  const head = Buffer.from('RIFF\0\0\0\0WEBP', 'latin1')
  head.writeUInt32LE(parts.length + 4, 4)
  return Buffer.concat([head, parts, Buffer.from(SECRET)])
}
