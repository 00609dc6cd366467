import { PICTURE_PIXELS_MAX } from '../../contract/limits.ts'
import { NoPreview } from '../made.ts'

/** Pixels with 8 bits a channel. */
export interface DecodedPicture {
  pixels: Buffer
  width: number
  height: number
  channels: 1 | 3 | 4
}

/** Light values take four times the memory. */
export const LIGHT_PIXELS_MAX = PICTURE_PIXELS_MAX / 4

/** More than zlib can compress anything. */
export const ZLIB_RATIO_MAX = 1_100

export const tooLarge = (width: number, height: number, max = PICTURE_PIXELS_MAX) =>
  new NoPreview(`The picture has ${width} × ${height} pixels. At most ${max / 1_000_000} million are read.`)
