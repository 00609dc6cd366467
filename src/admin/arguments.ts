import * as readers from '../contract/field-readers.ts'
import { IMPORT_DAYS_MAX } from '../contract/limits.ts'
import { instant, readShortId } from '../contract/params.ts'
import { type OwnQuotas, readQuotas } from '../domain/accounts/quotas.ts'

/** Readers of command arguments; an invalid value is a usage error, reported before the database is opened. */
export const id = (text: string): number => {
  const read = readShortId(text)
  if (read === undefined) throw new Error('It must be an id, such as 7.')
  return read
}

/** `7` or `7,12`. */
export const idList = (text: string): number[] => text.split(',').map((one) => id(one.trim()))

/** `7` or `acct_7`. */
export const accountId = (text: string): number => id(text.replace(/^acct_/, ''))

export const count = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new Error('It must be a whole number.')
  return Number(text)
}

export const importDays = (text: string): number => {
  const days = count(text)
  if (days < 1 || days > IMPORT_DAYS_MAX) throw new Error(`It must be from 1 to ${IMPORT_DAYS_MAX}.`)
  return days
}

/** The quotas of an account. */
export const quotaList = (text: string): OwnQuotas => {
  try {
    return readQuotas(text)
  } catch (error) {
    throw new Error(`It ${(error as Error).message}.`)
  }
}

export const words = (text: string): string => readers.filled()('It', text)

/** `yes` or `no`. */
export const yesOrNo = (text: string): boolean => {
  if (text !== 'yes' && text !== 'no') throw new Error('It must be yes or no.')
  return text === 'yes'
}

export const time = (text: string): string => instant.read('It', text)

export const timezone = (text: string): string => readers.timezone('It', text)

/** Accepts `none`: the argument parser has no null. */
export const orNone =
  <T>(read: (text: string) => T) =>
  (text: string): T | 'none' =>
    text === 'none' ? text : read(text)

export const nullIfNone = <T>(value: T | 'none'): T | null => (value === 'none' ? null : value)

export const email = (text: string): string => readers.email('It', text)

export const jsonObject = (text: string): Record<string, unknown> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {}
  if (!readers.isObject(value)) throw new Error('It must be a JSON object.')
  return value
}

/** A comma-separated list of values of a set. */
export const manyOf =
  <V extends string>(values: readonly V[]) =>
  (text: string): V[] =>
    text.split(',').map((word) => readers.oneOf(values)('Each', word.trim()))
