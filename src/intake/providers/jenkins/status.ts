import type { BuildStatus } from '../../../contract/sets.ts'
import { text } from '../../reading.ts'

const WORDS = new Map<string, BuildStatus>(
  Object.entries({
    completed: ['success', 'succeeded', 'passed', 'stable', 'ok'],
    failed: ['failure', 'failed', 'error', 'unstable', 'timed_out', 'broken'],
    cancelled: ['aborted', 'canceled', 'cancelled', 'skipped', 'not_built'],
    queued: ['queued', 'pending', 'scheduled', 'waiting'],
    building: ['started', 'running', 'in_progress', 'building'],
    passed_pending_approval: ['blocked'],
  } satisfies Partial<Record<BuildStatus, string[]>>).flatMap(([status, words]) =>
    words.map((word): [string, BuildStatus] => [word, status as BuildStatus]),
  ),
)

export const KNOWN_WORDS: readonly string[] = [...WORDS.keys()]

/** A CI's name for a build state, in any case; undefined for an unknown one. */
export function statusOf(value: unknown): { status: BuildStatus; held?: true } | undefined {
  const status = WORDS.get(text(value)?.trim().toLowerCase() ?? '')
  if (!status) return undefined
  return status === 'passed_pending_approval' ? { status, held: true } : { status }
}
