import type { Sharp, SharpOptions } from 'sharp'
import { PICTURE_PIXELS_MAX, PREVIEW_SIDES } from '../contract/limits.ts'
import { NoPreview, type Pictures } from './made.ts'

/** A png, jpeg, gif or webp file, or pixels with 8 bits a channel. */
export type Source = { encoded: Buffer } | { pixels: Buffer; width: number; height: number; channels: 1 | 3 | 4 }

const SECONDS = 30
const PLACEHOLDER_SIDE = 16
/** Loaders of libvips for the formats that are recognized by content: no other parser ever sees a file. */
const LOADERS = ['Png', 'Jpeg', 'Webp', 'Nsgif'].map((format) => `VipsForeignLoad${format}Buffer`)

let loaded: ReturnType<typeof load> | undefined

/** The package has parts for each system; on others the service runs without pictures. */
async function load() {
  const { default: sharp } = await import('sharp').catch(() => {
    throw new NoPreview('This service can’t make pictures: the package sharp is not installed for its system.')
  })
  sharp.cache(false)
  sharp.concurrency(1)
  sharp.block({ operation: ['VipsForeignLoad'] })
  sharp.unblock({ operation: LOADERS })
  return sharp
}

/** Re-encoded, so nothing but pixels survives. */
export async function render(source: Source): Promise<Pictures> {
  loaded ??= load()
  const sharp = await loaded
  const options: SharpOptions = { limitInputPixels: PICTURE_PIXELS_MAX, failOn: 'error' }
  const open = (): Sharp =>
    'encoded' in source
      ? sharp(source.encoded, options).autoOrient()
      : sharp(source.pixels, { ...options, raw: { width: source.width, height: source.height, channels: source.channels } })
  const { autoOrient } = await open().metadata()
  const { width, height } = 'encoded' in source ? autoOrient : source
  const large = await scaled(open(), PREVIEW_SIDES.large, 82)
  const small = await scaled(sharp(large), PREVIEW_SIDES.small, 78)
  const tiny = await scaled(sharp(small), PLACEHOLDER_SIDE, 40)
  return { large, small, placeholder: `data:image/webp;base64,${tiny.toString('base64')}`, width, height }
}

const scaled = (picture: Sharp, side: number, quality: number): Promise<Buffer> =>
  picture
    .resize(side, side, { fit: 'inside', withoutEnlargement: true })
    .timeout({ seconds: SECONDS })
    .webp({ quality, effort: 3 })
    .toBuffer()
