/** The text style of a terminal. Colors are CSS; empty is the page's default. */
export interface Style {
  color: string
  background: string
  bold: boolean
  dim: boolean
  italic: boolean
  underline: boolean
  strike: boolean
  inverse: boolean
}

export const PLAIN: Style = {
  color: '',
  background: '',
  bold: false,
  dim: false,
  italic: false,
  underline: false,
  strike: false,
  inverse: false,
}

/** The effect of single numbers (ECMA-48, 8.3.117), without colors. Concealing is not supported: a log must not hide text. */
const SWITCHES: Record<number, Partial<Style>> = {
  0: PLAIN,
  1: { bold: true },
  2: { dim: true },
  3: { italic: true },
  4: { underline: true },
  7: { inverse: true },
  9: { strike: true },
  21: { underline: true },
  22: { bold: false, dim: false },
  23: { italic: false },
  24: { underline: false },
  27: { inverse: false },
  29: { strike: false },
  39: { color: '' },
  49: { background: '' },
}

/** The style after `ESC [ parameters m`. Unknown numbers change nothing. */
export function styleAfter(style: Style, parameters: string): Style {
  const next = { ...style }
  // Parts of one value may be joined by colons, with an optional color space: 38:2::255:0:0.
  const numbers = parameters.split(';').flatMap((one) => {
    const [first = '', kind, ...rest] = one.split(':')
    if (kind === undefined) return [Number(first)]
    if (first === '4') return [kind === '0' ? 24 : 4]
    return [Number(first), Number(kind), ...rest.slice(kind === '2' ? -3 : 0).map(Number)]
  })
  for (let i = 0; i < numbers.length; i++) {
    const n = numbers[i]!
    if (n === 38 || n === 48) {
      const isIndex = numbers[i + 1] === 5
      const color = isIndex ? indexed(numbers[i + 2] ?? -1) : rgb(numbers.slice(i + 2, i + 5))
      if (color !== undefined) next[n === 38 ? 'color' : 'background'] = color
      i += isIndex ? 2 : 4
    } else if (n >= 30 && n <= 37) next.color = indexed(n - 30)!
    else if (n >= 90 && n <= 97) next.color = indexed(n - 82)!
    else if (n >= 40 && n <= 47) next.background = indexed(n - 40)!
    else if (n >= 100 && n <= 107) next.background = indexed(n - 92)!
    else Object.assign(next, SWITCHES[n])
  }
  return isSame(next, PLAIN) ? PLAIN : isSame(next, style) ? style : next
}

const KEYS = Object.keys(PLAIN) as (keyof Style)[]
const isSame = (one: Style, other: Style) => KEYS.every((key) => one[key] === other[key])

const isByte = (n: number) => Number.isInteger(n) && n >= 0 && n <= 255

const rgb = (parts: number[]): string | undefined =>
  parts.length === 3 && parts.every(isByte) ? `rgb(${parts.join(' ')})` : undefined

const FIRST = ['0 0 0', '205 49 49', '13 188 121', '229 229 16', '36 114 200', '188 63 188', '17 168 205', '229 229 229']
const BRIGHT = ['102 102 102', '241 76 76', '35 209 139', '245 245 67', '59 142 234', '214 112 214', '41 184 219', '255 255 255']
const CUBE = [0, 95, 135, 175, 215, 255]

/** Sixteen named colors, a cube of 6 × 6 × 6, and 24 grays. */
function indexed(n: number): string | undefined {
  if (!isByte(n)) return undefined
  if (n < 16) return `rgb(${[...FIRST, ...BRIGHT][n]})`
  if (n >= 232) return rgb(Array<number>(3).fill(8 + 10 * (n - 232)))
  const place = n - 16
  return rgb([CUBE[Math.floor(place / 36)]!, CUBE[Math.floor(place / 6) % 6]!, CUBE[place % 6]!])
}
