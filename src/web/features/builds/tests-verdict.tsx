import type { BuildVerdict } from '../../../contract/sets.ts'
import { Pill } from '../../ui/pill.tsx'

interface Judged {
  status: string
  verdict: BuildVerdict | null
}

/** What the tests of a build say where its CI says otherwise; empty where both agree. */
export function testsWords({ status, verdict }: Judged): string {
  if (verdict === 'failed' && status !== 'failed') return 'Tests failed'
  return verdict === 'passed' && status === 'failed' ? 'Only quarantined tests failed' : ''
}

export function TestsVerdict(build: Judged) {
  const words = testsWords(build)
  return words === '' ? null : <Pill kind={build.verdict === 'failed' ? 'err' : 'ok'}>{words}</Pill>
}
