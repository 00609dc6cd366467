import { type GivenFile, type Made, NoPreview } from './made.ts'
import type { DecodedPicture } from './pictures/decoded.ts'
import { isExr, readExr } from './pictures/exr.ts'
import { isHdr, readHdr } from './pictures/hdr.ts'
import { isPsd, readPsd } from './pictures/psd.ts'
import { isTga, readTga } from './pictures/tga.ts'
import { render } from './render.ts'
import { isOgg, readOgg } from './sounds/ogg.ts'
import { isWav, readWav } from './sounds/wav.ts'
import { firstText, isText } from './text.ts'
import { isUnreal, readUnreal } from './unreal/read-unreal.ts'

interface Reader {
  is(bytes: Buffer, path: string): boolean
  read(bytes: Buffer, file: GivenFile): Promise<Made>
  /** Can be read from its first bytes. */
  inPart?: true
}

const starts = (bytes: Buffer, text: string, at = 0) => bytes.subarray(at, at + text.length).equals(Buffer.from(text, 'latin1'))

const decoded = (is: Reader['is'], decode: (bytes: Buffer) => DecodedPicture | Promise<DecodedPicture>): Reader => ({
  is,
  read: async (bytes) => ({ kind: 'picture', source: 'file', ...(await render(await decode(bytes))) }),
})

const LFS = 'version https://git-lfs.'

/** By content; the name decides only where a format has no mark. */
const READERS: Reader[] = [
  { is: isUnreal, read: readUnreal, inPart: true },
  {
    is: (bytes) =>
      starts(bytes, '\x89PNG\r\n\x1a\n') ||
      starts(bytes, '\xff\xd8\xff') ||
      starts(bytes, 'GIF8') ||
      (starts(bytes, 'RIFF') && starts(bytes, 'WEBP', 8)),
    read: async (bytes) => ({ kind: 'picture', source: 'file', ...(await render({ encoded: bytes })) }),
  },
  decoded(isPsd, readPsd),
  decoded(isHdr, readHdr),
  decoded(isExr, readExr),
  { is: isWav, read: readWav },
  { is: isOgg, read: readOgg },
  {
    is: (bytes) => starts(bytes, LFS),
    read: () => Promise.reject(new NoPreview('The file is in Git LFS, which is not read. Upload a preview from your CI.')),
    inPart: true,
  },
  decoded(isTga, readTga),
  { is: isText, read: async (bytes) => ({ kind: 'text', source: 'file', text: firstText(bytes) }), inPart: true },
]

export async function readFile(file: GivenFile, bytes: Buffer): Promise<Made> {
  const reader = READERS.find(({ is }) => is(bytes, file.path))
  if (!reader) throw new NoPreview('There are no previews of this type of file. Upload a picture of it.')
  if (file.isCut && !reader.inPart) throw new NoPreview('The file is too large to be fetched. Upload a picture of it.')
  return reader.read(bytes, file)
}
