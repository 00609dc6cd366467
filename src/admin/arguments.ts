import { InvalidArgumentError } from 'commander'
import { instant, readId } from '../contract/params.ts'
import { isTimezone } from '../domain/accounts/accounts.ts'
import { isEmail } from '../domain/accounts/users.ts'

/** How commands read what they are given; a wrong word is a usage error, told before the database is opened. */
export const id = (text: string): number => {
  const read = readId(text)
  if (read === undefined) throw new InvalidArgumentError('It must be the number of a record.')
  return read
}

/** `7` or `acct_7`. */
export const accountId = (text: string): number => id(text.replace(/^acct_/, ''))

export const count = (text: string): number => {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It must be a whole number.')
  return Number(text)
}

export const words = (text: string): string => {
  if (text.trim() === '') throw new InvalidArgumentError('It must not be empty.')
  return text
}

/** `yes` or `no`. */
export const yesOrNo = (text: string): boolean => {
  if (text !== 'yes' && text !== 'no') throw new InvalidArgumentError('It must be yes or no.')
  return text === 'yes'
}

export const time = (text: string): string => {
  try {
    return instant.read('It', text)
  } catch (error) {
    throw new InvalidArgumentError((error as Error).message)
  }
}

export const timezone = (text: string): string => {
  if (!isTimezone(text)) throw new InvalidArgumentError('It must be a time zone such as America/New_York.')
  return text
}

/** Lets `none` through: the parser of arguments has no null of its own. */
export const orNone =
  <T>(read: (text: string) => T) =>
  (text: string): T | 'none' =>
    text === 'none' ? text : read(text)

export const nullIfNone = <T>(value: T | 'none'): T | null => (value === 'none' ? null : value)

export const email = (text: string): string => {
  if (!isEmail(text)) throw new InvalidArgumentError('It must be an e-mail address.')
  return text
}

export const jsonObject = (text: string): Record<string, unknown> => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {}
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidArgumentError('It must be a JSON object.')
  return value as Record<string, unknown>
}

/** A list of words of a set, separated by commas. */
export const manyOf =
  <V extends string>(values: readonly V[]) =>
  (text: string): V[] =>
    text.split(',').map((word) => {
      const found = values.find((value) => value === word.trim())
      if (found === undefined) throw new InvalidArgumentError(`Each must be one of: ${values.join(', ')}.`)
      return found
    })
