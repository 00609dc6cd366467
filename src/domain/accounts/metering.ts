import type { Plan } from '../../contract/sets.ts'

const TRIAL_DAYS = 14

interface NewAccount {
  plan: Plan
  /** Null: investigations are unlimited. */
  credits: number | null
  trial_ends_at: string | null
}

/** The plan of a new account. Only hosts that serve others meter: a studio on its own machine has no limits. */
export function newAccount(metering: boolean, first = false): NewAccount {
  if (!metering) return { plan: 'enterprise', credits: null, trial_ends_at: null }
  if (first) return { plan: 'studio', credits: 100, trial_ends_at: null }
  return { plan: 'team', credits: 20, trial_ends_at: new Date(Date.now() + TRIAL_DAYS * 86_400_000).toISOString() }
}
