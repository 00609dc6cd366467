import { PICTURE_PIXELS_MAX } from '../../contract/limits.ts'
import { NoPreview } from '../made.ts'

/** Pixels with 8 bits a channel. */
export interface DecodedPicture {
  pixels: Buffer
  width: number
  height: number
  channels: 1 | 3 | 4
}

export const tooLarge = (width: number, height: number) =>
  new NoPreview(`The picture has ${width} × ${height} pixels. At most ${PICTURE_PIXELS_MAX / 1_000_000} million are read.`)
