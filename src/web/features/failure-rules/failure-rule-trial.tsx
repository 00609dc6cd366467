import type { AppReply } from '../../../contract/app/routes.ts'
import { Notice } from '../../ui/notice.tsx'
import { Pill, wordsOf } from '../../ui/pill.tsx'

type Trial = AppReply<'tryFailureRule'>

/** What a rule does with an excerpt: the lines it matches, and what an investigation would say. */
export function FailureRuleTrial({ trial: { matched, line, finding }, ruleId }: { trial: Trial; ruleId: string }) {
  const decides = finding.rule_id === ruleId.trim()
  return (
    <section aria-label="Trial" className="grid gap-3 rounded-md border border-line p-3 text-sm">
      {matched.length === 0 ? (
        <Notice kind="warn">No line holds one of the texts and fits the pattern.</Notice>
      ) : (
        <div className="grid gap-1.5">
          <h3 className="font-medium">Matched lines</h3>
          <ul className="grid overflow-hidden rounded-md border border-line">
            {matched.map(({ line: number, text }) => (
              <li key={number} className="flex gap-3 border-b border-line px-2 py-1 font-mono text-xs last:border-0">
                <span className="shrink-0 text-soft tabular-nums">line {number}</span>
                <span className="min-w-0 break-all">{text}</span>
                {number === line && <span className="ml-auto shrink-0 text-soft">says why</span>}
              </li>
            ))}
          </ul>
        </div>
      )}
      <div className="grid gap-1.5">
        <div className="flex flex-wrap items-center gap-2">
          <h3 className="font-medium">An investigation would find</h3>
          <Pill kind="err">{wordsOf(finding.category)}</Pill>
          <Pill kind="neutral">{finding.confidence} confidence</Pill>
          <span className="text-xs text-soft">
            {decides ? 'by this rule' : finding.rule_id === 'unknown' ? 'by no rule' : `by ${finding.rule_id}, not by this rule`}
          </span>
        </div>
        <p className="wrap-anywhere">{finding.diagnosis}</p>
        {finding.suggested_fix && <p className="wrap-anywhere text-soft">{finding.suggested_fix}</p>}
      </div>
    </section>
  )
}
