import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf } from '../../../contract/labels.ts'
import { Notice } from '../../ui/notice.tsx'
import { Pill } from '../../ui/pill.tsx'

type Trial = AppReply<'tryFailureRule'>

/** The result of a rule on an excerpt: the matching lines, and the finding. */
export function FailureRuleTrial({ trial: { matched, line, finding }, ruleId }: { trial: Trial; ruleId: string }) {
  const decides = finding.rule_id === ruleId.trim()
  return (
    <section aria-label="Test result" className="grid gap-3 rounded-md border border-line p-3 text-sm">
      {matched.length === 0 ? (
        <Notice kind="warn">No line contains the required text and matches the pattern.</Notice>
      ) : (
        <div className="grid gap-1.5">
          <h3 className="font-medium">Matched lines</h3>
          <ul className="grid overflow-hidden rounded-md border border-line">
            {matched.map(({ line: number, text }) => (
              <li key={number} className="flex gap-3 border-b border-line px-2 py-1 font-mono text-xs last:border-0">
                <span className="shrink-0 text-soft tabular-nums">line {number}</span>
                <span className="min-w-0 break-all">{text}</span>
                {number === line && <span className="ml-auto shrink-0 text-soft">cause</span>}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="grid gap-1.5">
        <div className="flex flex-wrap items-center gap-2">
          <h3 className="font-medium">An investigation would report</h3>
          <Pill kind="err">{labelOf('failure_category', finding.category)}</Pill>
          <Pill kind="neutral">{labelOf('confidence', finding.confidence)}</Pill>
          <span className="text-xs text-soft">
            {decides
              ? 'found by this rule'
              : finding.rule_id === 'unknown'
                ? 'found by no rule'
                : `found by ${finding.rule_id}, not by this rule`}
          </span>
        </div>
        <p className="wrap-anywhere">{finding.diagnosis}</p>
        {finding.suggested_fix && <p className="wrap-anywhere text-soft">{finding.suggested_fix}</p>}
      </div>
    </section>
  )
}
