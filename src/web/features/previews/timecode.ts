/** Frames a second of game footage, until the file says otherwise. */
export const USUAL_RATE = 30
const RATES = [23.976, 24, 25, 29.97, 30, 48, 50, 59.94, 60, 120]

/** The rate of frames that are these seconds apart; a usual one, if none is certain. */
export function rateOf(times: readonly number[]): number {
  const gaps = times
    .slice(1)
    .map((at, i) => at - times[i]!)
    .filter((gap) => gap > 0.001)
    .sort((a, b) => a - b)
  const gap = gaps[gaps.length >> 1]
  if (gap === undefined) return USUAL_RATE
  const nearest = RATES.reduce((best, rate) => (Math.abs(1 / gap - rate) < Math.abs(1 / gap - best) ? rate : best))
  return Math.abs(1 / gap / nearest - 1) < 0.05 ? nearest : USUAL_RATE
}

/** Which frame is shown at a time. */
export const frameAt = (seconds: number, rate: number): number => Math.floor(seconds * rate + 0.01)

/** A time in the middle of a frame: at its start, rounding could show the one before. */
export const timeOf = (frame: number, rate: number): number => (frame + 0.5) / rate

const two = (value: number) => String(value).padStart(2, '0')

/** `00:01:05:12`: hours, minutes, seconds and the frame of the second. */
export function timecode(seconds: number, rate: number): string {
  const whole = Math.round(rate)
  const frame = frameAt(seconds, rate)
  const second = Math.floor(frame / whole)
  return [Math.floor(second / 3600), Math.floor(second / 60) % 60, second % 60, frame % whole].map(two).join(':')
}
