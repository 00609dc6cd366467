import type { TestGate } from '../sets.ts'

/** When a build that its CI calls passed counts as failed. */
export const TEST_GATE_LABELS: Record<TestGate, string> = {
  off: 'Never',
  crashes: 'When a test run crashes or leaves no report',
  failures: 'When a test fails',
}
