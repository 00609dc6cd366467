import { PREVIEW_TEXT_MAX } from '../../contract/limits.ts'
import { type GivenFile, type Made, NoPreview } from '../made.ts'
import { render } from '../render.ts'
import { isPackage, readPackage, type Thumbnail } from './package.ts'

export const isUnreal = isPackage

/** The thumbnail that the editor saved; otherwise the names in the package, which show what it refers to. */
export async function readUnreal(bytes: Buffer, { isCut }: GivenFile): Promise<Made> {
  const { thumbnail, names } = open(bytes)
  if (thumbnail) return { kind: 'picture', source: 'package', ...(await draw(thumbnail)) }
  if (names.length > 0) return { kind: 'text', source: 'package', text: textOf(names) }
  throw new NoPreview(
    isCut
      ? 'The header of this Unreal package is too large to be read.'
      : 'This Unreal package was saved without a thumbnail. Save it again in the editor, or upload a picture.',
  )
}

function open(bytes: Buffer) {
  try {
    return readPackage(bytes)
  } catch {
    throw new NoPreview('This Unreal package can’t be read: it is damaged, or from an engine version that is not known yet.')
  }
}

const draw = ({ width, height, image }: Thumbnail) =>
  image.length === width * height * 4 && !isEncoded(image)
    ? render({ pixels: fromBgra(image), width, height, channels: 4 })
    : render({ encoded: image })

const isEncoded = (image: Buffer) => image.readUInt32BE(0) === 0x89504e47 || image.readUInt16BE(0) === 0xffd8

function fromBgra(pixels: Buffer): Buffer {
  const swapped = Buffer.from(pixels)
  for (let at = 0; at + 3 < swapped.length; at += 4) {
    swapped[at] = pixels[at + 2]!
    swapped[at + 2] = pixels[at]!
  }
  return swapped
}

/** Sorted: two versions can be compared line by line. */
const textOf = (names: string[]): Buffer => {
  const lines = Buffer.from([...new Set(names)].sort().join('\n'))
  return lines.length <= PREVIEW_TEXT_MAX ? lines : lines.subarray(0, lines.lastIndexOf(10, PREVIEW_TEXT_MAX))
}
