import { scrub } from '../domain/privacy/scrub.ts'
import type { Fact } from './facts.ts'

/**
 * Fields that lists filter and join by are stored as they are shown: a query with the identifier, branch or stage of a reply finds it by
 * its index. Texts that nothing compares are stored as reported and scrubbed on output.
 */
export function scrubKeys<F extends Fact>(fact: F): F
export function scrubKeys(fact: Fact): Fact {
  switch (fact.kind) {
    case 'change':
    case 'orphan':
      return scrubbed(fact, ['identifier', 'branch'])
    case 'branch_created':
    case 'branch_deleted':
      return scrubbed(fact, ['branch', 'head'])
    case 'build':
      return {
        ...scrubbed(fact, [
          'commit_hash',
          'changelist',
          'branch',
          'phase',
          'shelf',
          'pull_request',
          'head_repository',
          'target_branch',
        ]),
        build: scrubbed(fact.build, ['job', 'number', 'commit']),
        ...(fact.steps && { steps: fact.steps.map((step) => scrubbed(step, ['name'])) }),
      }
    case 'deployment':
      return scrubbed(fact, ['build_number', 'branch', 'track', 'store', 'version', 'external_id', 'external_build_id', 'commit'])
    case 'reference':
      return fact
  }
}

/** The same object if there is nothing to remove, which is nearly always. */
function scrubbed<T extends object>(reported: T, names: readonly (keyof T)[]): T {
  let shown = reported
  for (const name of names) {
    const text = reported[name]
    const next = typeof text === 'string' ? scrub(text) : text
    if (next !== text) shown = { ...shown, [name]: next }
  }
  return shown
}
