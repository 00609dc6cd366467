/** How bright the middle of a picture is shown. */
const MIDDLE = 0.18

/** Light values as a screen shows them: exposed by their geometric mean, bright ones compressed (Reinhard), with sRGB's curve. */
export function toneMapped(rgb: Float32Array): Buffer {
  let [sum, count] = [0, 0]
  for (let at = 0; at + 2 < rgb.length; at += 3) {
    const light = 0.2126 * rgb[at]! + 0.7152 * rgb[at + 1]! + 0.0722 * rgb[at + 2]!
    if (light > 0 && Number.isFinite(light)) {
      sum += Math.log(light)
      count++
    }
  }
  const exposure = count === 0 ? 1 : MIDDLE / Math.exp(sum / count)
  const out = Buffer.alloc(rgb.length)
  for (let at = 0; at < rgb.length; at++) {
    const light = Math.max(0, rgb[at]! * exposure)
    const shown = Number.isFinite(light) ? light / (1 + light) : 1
    out[at] = Math.round(255 * (shown <= 0.0031308 ? 12.92 * shown : 1.055 * shown ** (1 / 2.4) - 0.055))
  }
  return out
}
