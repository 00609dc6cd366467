import { IDENTIFIER_MAX } from '../contract/limits.ts'
import type { Fact } from './facts.ts'
import { Unreadable } from './reading.ts'

function identifiersOf(fact: Fact): Record<string, string | undefined> {
  switch (fact.kind) {
    case 'change':
    case 'orphan':
      return { 'The identifier of a change': fact.identifier }
    case 'branch_created':
    case 'branch_deleted':
      return { 'The head of a branch': fact.head }
    case 'build': {
      const { job, number, external_id, commit } = fact.build
      const { commit_hash, changelist } = fact
      return {
        'The job': job,
        'The build number': number,
        'The build id': external_id,
        'The commit': commit_hash ?? commit,
        'The changelist': changelist,
      }
    }
    case 'deployment':
      return {
        'The platform with its build number or version': fact.key,
        'The build number': fact.build_number,
        'The commit': fact.commit,
      }
    case 'reference':
      return { 'The key of an item': fact.key }
  }
}

/** More in one transaction would lock rows for minutes: a push may have 2,048 commits. */
const FACTS_MAX = 100_000

/** Refuses what no index can hold or no transaction should: such a delivery could never be recorded, however often it is sent. */
export function requireBounds(facts: readonly Fact[]) {
  if (facts.length > FACTS_MAX) throw new Unreadable(`The delivery tells more than ${FACTS_MAX} things at once.`)
  for (const fact of facts)
    for (const [name, value] of Object.entries(identifiersOf(fact)))
      if (value !== undefined && value.length * 3 > IDENTIFIER_MAX && Buffer.byteLength(value) > IDENTIFIER_MAX)
        throw new Unreadable(`${name} must have at most ${IDENTIFIER_MAX} bytes.`)
}
