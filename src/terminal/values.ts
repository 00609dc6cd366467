import type { Paint, Style } from './paint.ts'
import { clean } from './text.ts'
import { duration, relative, size } from './times.ts'

/**
 * A color has one meaning everywhere: red is broken, refused or urgent; yellow waits for somebody; cyan is in progress; green is good; dim
 * is ignored.
 */
const STYLES: Record<string, Style> = {
  completed: 'green',
  approved: 'green',
  live: 'green',
  ok: 'green',
  active: 'green',
  fixed: 'green',
  green: 'green',
  delivered: 'green',
  failed: 'red',
  denied: 'red',
  rejected: 'red',
  err: 'red',
  critical: 'red',
  open: 'red',
  red: 'red',
  blocked: 'yellow',
  pending: 'yellow',
  passed_pending_approval: 'yellow',
  rolled_back: 'yellow',
  warn: 'yellow',
  high: 'yellow',
  lost: 'yellow',
  in_progress: 'cyan',
  building: 'cyan',
  preparing: 'cyan',
  running: 'cyan',
  uploading: 'cyan',
  in_review: 'cyan',
  claimed: 'cyan',
  cancelled: 'dim',
  ignored: 'dim',
  muted: 'dim',
  neutral: 'dim',
}

/** Fields whose values are colored; elsewhere a word is only a word. */
const COLORED = ['status', 'state', 'priority', 'approval_status', 'outcome', 'last_outcome']

export const paintWord = (paint: Paint, word: string, shown = word) => {
  const style = Object.hasOwn(STYLES, word) ? STYLES[word] : undefined
  return style ? paint(style, shown) : shown
}

/** The same for a field, if it is one of those. */
export const paintField = (paint: Paint, field: string, word: string, shown = word) =>
  COLORED.includes(field) ? paintWord(paint, word, shown) : shown

const isTime = (name: string) => /(?:^|_)(?:at|since|until)$/.test(name) || name === 'timestamp'

/** A value as people read it; programs get it unchanged. */
export function shown(name: string, value: unknown, forPeople: boolean): string {
  if (value === null || value === undefined || value === '') return forPeople ? '-' : ''
  if (Array.isArray(value)) return value.map((each) => shown(name, each, forPeople)).join(', ') || (forPeople ? '-' : '')
  if (forPeople && typeof value === 'string' && isTime(name)) return relative(value)
  if (forPeople && typeof value === 'number' && name.endsWith('_seconds')) return duration(value)
  if (forPeople && typeof value === 'number' && name === 'size_bytes') return size(value)
  if (typeof value === 'boolean') return value ? 'yes' : 'no'
  return clean(typeof value === 'object' ? JSON.stringify(value) : String(value))
}

/** A field's name as people read it. */
export const nameOf = (field: string) => field.replace(/_(?:at|seconds|bytes)$/, '').replaceAll('_', ' ')
