import { browserLanguage } from '../../language.ts'

/** The format of dates and numbers: the browser's language, unless changed on this device. */

const KEY = 'goldmaster-dates'
const STYLES = ['browser', 'day-first', 'month-first', 'iso'] as const
export type DateStyle = (typeof STYLES)[number]

/** Outside a browser there is no setting. */
const isBrowser = typeof window !== 'undefined'

export const chosenDateStyle = (): DateStyle => {
  const kept = isBrowser && localStorage.getItem(KEY)
  return STYLES.find((style) => style === kept) ?? 'browser'
}

export function chooseDateStyle(style: DateStyle) {
  localStorage.setItem(KEY, style)
  formats.clear()
}

const SHAPES = {
  day: { day: 'numeric', month: 'short' },
  weekday: { weekday: 'long', day: 'numeric', month: 'long' },
  date: { dateStyle: 'long' },
  moment: { dateStyle: 'medium', timeStyle: 'short' },
  exact: { dateStyle: 'medium', timeStyle: 'medium' },
} as const satisfies Record<string, Intl.DateTimeFormatOptions>
type Shape = keyof typeof SHAPES

const DAY = { year: 'numeric', month: '2-digit', day: '2-digit' } as const
const MINUTE = { ...DAY, hour: '2-digit', minute: '2-digit' } as const
/** The Swedish date format is that of ISO 8601. */
const ISO = 'sv-SE'
const ISO_SHAPES: Record<Shape, Intl.DateTimeFormatOptions> = {
  day: DAY,
  weekday: DAY,
  date: DAY,
  moment: MINUTE,
  exact: { ...MINUTE, second: '2-digit' },
}
const LANGUAGES: Record<DateStyle, string> = {
  browser: browserLanguage,
  'day-first': 'en-GB',
  'month-first': 'en-US',
  iso: ISO,
}

const formats = new Map<string, Intl.DateTimeFormat>()

function formatOf(shape: Shape, style: DateStyle, timeZone: 'UTC' | undefined): Intl.DateTimeFormat {
  const key = `${shape} ${style} ${timeZone}`
  const known = formats.get(key)
  if (known) return known
  const options = style === 'iso' ? ISO_SHAPES[shape] : SHAPES[shape]
  const made = new Intl.DateTimeFormat(LANGUAGES[style], { ...options, ...(timeZone && { timeZone }) })
  formats.set(key, made)
  return made
}

/** `dateOf('moment', build.created_at)`; a day without a time is formatted in UTC. */
export const dateOf = (shape: Shape, at: string | number | Date, timeZone?: 'UTC', style = chosenDateStyle()): string =>
  formatOf(shape, style, timeZone).format(new Date(at))

export const numberOf = (value: number): string => value.toLocaleString(browserLanguage)
