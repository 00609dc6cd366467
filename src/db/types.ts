import pg from 'pg'

// The same representation from the table to the API: times are strings, counts are numbers.
const TIMESTAMPTZ = 1184
const INT8 = 20
const INT8_ARRAY = 1016
const TEXT_ARRAY = 1009
const int8Array = pg.types.getTypeParser(INT8_ARRAY as number, 'text') as (text: string) => string[]
const textArray = pg.types.getTypeParser(TEXT_ARRAY as number, 'text') as (text: string) => string[]
/** Most contain plain words, such as scopes and labels: nothing quoted, nothing null. */
const wordsOf = (text: string) =>
  text === '{}' || /["\\{]|NULL/.test(text.slice(1)) ? textArray(text) : text.slice(1, -1).split(',')
export const types = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') => {
    if (oid === TIMESTAMPTZ) return isoOf
    if (oid === INT8) return Number
    if (oid === TEXT_ARRAY) return wordsOf
    if (oid === INT8_ARRAY) return (text: string) => int8Array(text).map(Number)
    return format === 'binary' ? pg.types.getTypeParser(oid, 'binary') : pg.types.getTypeParser(oid, 'text')
  },
} as pg.CustomTypesConfig

/** `2026-01-02 03:04:05.6+00` → `2026-01-02T03:04:05.600Z`. Sessions run in UTC; another zone is parsed too. */
const isoOf = (text: string) => {
  if (!text.endsWith('+00')) return new Date(text.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')).toISOString()
  const [date, rest = ''] = text.split(' ')
  const [clock, fraction = ''] = rest.replace('+00', '').split('.')
  return `${date}T${clock}.${fraction.padEnd(3, '0')}Z`
}
