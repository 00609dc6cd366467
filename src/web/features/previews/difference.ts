/** Pictures are compared at this size: enough to tell whether anything differs. */
const SIDE = 256
/** Compression alone changes a channel by a little. */
const NOISE = 8

/** The share of the picture that differs between two loaded pictures. */
export function differenceOf(before: CanvasImageSource, after: CanvasImageSource): number {
  const [a, b] = [pixelsOf(before), pixelsOf(after)]
  let different = 0
  for (let i = 0; i < a.length; i += 4) {
    if ([0, 1, 2, 3].some((channel) => Math.abs(a[i + channel]! - b[i + channel]!) > NOISE)) different++
  }
  return different / (SIDE * SIDE)
}

function pixelsOf(picture: CanvasImageSource): Uint8ClampedArray {
  const canvas = document.createElement('canvas')
  canvas.width = SIDE
  canvas.height = SIDE
  const context = canvas.getContext('2d', { willReadFrequently: true })!
  context.drawImage(picture, 0, 0, SIDE, SIDE)
  return context.getImageData(0, 0, SIDE, SIDE).data
}

export const wordsOfDifference = (share: number): string =>
  share === 0 ? 'No visible difference' : share < 0.01 ? 'Less than 1% differs' : `${Math.round(share * 100)}% differs`

async function loaded(src: string): Promise<HTMLImageElement> {
  const picture = new Image()
  picture.src = src
  await picture.decode()
  return picture
}

export const compare = async (before: string, after: string): Promise<number> =>
  differenceOf(...((await Promise.all([loaded(before), loaded(after)])) as [HTMLImageElement, HTMLImageElement]))
