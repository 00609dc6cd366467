import { COUNT_MAX } from '../../../contract/limits.ts'
import { numberOf } from './dates.ts'

/** `1 line`, `2,300 lines`; irregular plurals are given explicitly. */
export const countOf = (count: number, one: string, many = `${one}s`): string => `${numberOf(count)} ${count === 1 ? one : many}`

/** `10,000+` if nothing was counted beyond. */
export const cappedCount = (count: number, most = COUNT_MAX): string => `${numberOf(count)}${count >= most ? '+' : ''}`
