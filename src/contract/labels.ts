import { ACCOUNT_TERMS } from './labels/account.ts'
import { RECORDS_TERMS } from './labels/records.ts'
import { SENDING_TERMS } from './labels/sending.ts'
import type { Term } from './labels/term.ts'
import { type AccountRole, isAccountRole, type ProjectRole } from './sets.ts'

/**
 * One word for one thing: `Ignored` is a decision about an asset, `Waiting for approval` means that a person has to decide, and `Pending`
 * is anything else that has not happened yet.
 */
export const TERMS = { ...RECORDS_TERMS, ...ACCOUNT_TERMS, ...SENDING_TERMS } as const

export type TermSet = keyof typeof TERMS

/** The label of a value; an unknown value becomes words. */
export const labelOf = (set: TermSet, value: string): string =>
  (TERMS[set] as Record<string, Term>)[value]?.label ?? sentence(value.replaceAll('_', ' '))

/** A role of either kind. */
export const roleLabel = (role: AccountRole | ProjectRole): string =>
  labelOf(isAccountRole(role) ? 'account_role' : 'project_role', role)

/** A label inside a sentence: "waiting for approval". */
export const lowered = (label: string): string => label.charAt(0).toLowerCase() + label.slice(1)

export const sentence = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

/** Values with their labels, for a select. */
export const choicesOf = <V extends string>(set: TermSet, values: readonly V[]): (readonly [V, string])[] =>
  values.map((value) => [value, labelOf(set, value)] as const)
