import type { Made } from '../made.ts'
import { render } from '../render.ts'

export const WIDTH = 1600
const HEIGHT = 400
/** Visible on light and dark pages. */
const COLOR = [91, 141, 239, 255]

/** Draws the loudest sample of each column, from 0 to 1. */
export async function drawWaveform(peaks: Float64Array): Promise<Made> {
  const pixels = Buffer.alloc(WIDTH * HEIGHT * 4)
  const column = Buffer.from(COLOR)
  peaks.forEach((peak, x) => {
    const half = Math.max(1, Math.round((peak * HEIGHT) / 2))
    for (let y = HEIGHT / 2 - half; y < HEIGHT / 2 + half; y++) column.copy(pixels, (y * WIDTH + x) * 4)
  })
  return { kind: 'waveform', source: 'file', ...(await render({ pixels, width: WIDTH, height: HEIGHT, channels: 4 })) }
}
