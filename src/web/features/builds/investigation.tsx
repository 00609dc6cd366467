import { Link, useParams } from '@tanstack/react-router'
import { labelOf } from '../../../contract/labels.ts'
import type { Investigation as Found } from '../../../contract/shapes.ts'
import { ApiError, wordsOf as failureOf } from '../../api.ts'
import { useFocusKept } from '../../focus.ts'
import { useWrite } from '../../queries.ts'
import { useAccount, useLocked, useMe } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { countOf } from '../../ui/text/count.ts'
import { CorrectedBy, CorrectFinding } from './correct-finding.tsx'
import { filesNamed } from './log/links.ts'
import { fileAddress, type Repository, repositoryPath } from './log/repository-files.ts'
import { Suspects } from './suspects.tsx'

/** The style of a confidence. */
export const SURE = { high: 'ok', medium: 'warn', low: 'neutral' } as const

interface Props {
  found: Found | null
  /** The log has changed since: another investigation may find more. */
  canAskAnew: boolean
  repository: Repository | undefined
  /** Scrolls to a line of the log. */
  onLine(line: number): void
}

/** Why a build failed: the button, the progress, the finding. The button disappears once it is used. */
export function Investigation(props: Props) {
  const ref = useFocusKept<HTMLDivElement>(props.found?.status ?? 'not asked')
  return (
    <div ref={ref} tabIndex={-1} className="min-w-0 outline-none">
      <Finding {...props} />
    </div>
  )
}

function Finding({ found, canAskAnew, repository, onLine }: Props) {
  const { buildId = '' } = useParams({ strict: false })
  if (!found || found.status === 'failed')
    return (
      <Section title="Why did it fail?" actions={<Ask again={found !== null} />}>
        {found && <Notice kind="warn">The last investigation failed. Its credit was refunded.</Notice>}
        <p className="text-sm text-soft">
          An investigation reads the log, finds the cause with the lines that show it, suggests a fix and ranks the suspected
          changes.
        </p>
      </Section>
    )
  if (found.status !== 'completed')
    return (
      <Section title="Investigating…">
        <div role="status" className="grid gap-2 text-sm text-soft">
          <span className="h-1 animate-pulse rounded-full bg-accent" />
          {found.steps.at(-1)?.detail || 'Reading the log.'}
        </div>
      </Section>
    )
  const machine = found.steps.find(({ name }) => name === 'agent')
  return (
    <Section
      title="Diagnosis"
      actions={
        <div className="flex flex-wrap gap-1.5">
          {found.category && <Pill kind="err">{labelOf('failure_category', found.category)}</Pill>}
          {found.confidence && <Pill kind={SURE[found.confidence]}>{labelOf('confidence', found.confidence)}</Pill>}
          {canAskAnew && <Ask again />}
          <CorrectFinding
            buildId={buildId}
            line={found.evidence.find(({ line }) => line > 0)?.line ?? null}
            diagnosis={found.diagnosis}
          />
        </div>
      }
    >
      <p className="wrap-anywhere line-clamp-4 font-medium" title={found.diagnosis ?? undefined}>
        {found.diagnosis}
      </p>
      <CorrectedBy />
      {machine && <Notice kind="warn">{machine.detail}</Notice>}
      {found.who_acts && (
        <p className="text-sm">
          <span className="font-medium">Who can fix it: </span>
          {labelOf('who_acts', found.who_acts)}. {found.retry_may_help ? 'A retry may help.' : 'A retry is unlikely to help.'}
        </p>
      )}
      {repository && <FoundFile evidence={found.evidence} repository={repository} />}
      {found.suggested_fix && !machine && (
        <p className="wrap-anywhere text-sm">
          <span className="font-medium">Suggested fix: </span>
          {found.suggested_fix}
        </p>
      )}
      {found.evidence.length > 0 && <Evidence of={found.evidence} onLine={onLine} />}
      {found.suspects.length > 0 && <Suspects of={found.suspects} first={1} buildId={buildId} />}
      <details className="text-sm">
        <summary className="text-soft hover:text-ink">Investigation steps</summary>
        <ol className="mt-2 grid gap-1">
          {found.steps.map(({ name, detail }) => (
            <li key={name} className="flex gap-3">
              <span className="w-24 shrink-0 text-soft">{name}</span>
              <span>{detail}</span>
            </li>
          ))}
        </ol>
      </details>
    </Section>
  )
}

/** The file in the evidence, as a path of the repository. */
function FoundFile({ evidence, repository }: { evidence: Found['evidence']; repository: Repository }) {
  for (const { text } of evidence)
    for (const { path, line } of filesNamed(text)) {
      const below = repositoryPath(path, repository)
      if (below === undefined) continue
      const address = fileAddress(path, line, repository)
      const words = `${below}:${line}`
      return (
        <p className="wrap-anywhere font-mono text-xs">
          {address ? (
            <a href={address} target="_blank" rel="noreferrer" className="underline">
              {words}
            </a>
          ) : (
            words
          )}
        </p>
      )
    }
  return null
}

/** Few enough to keep the log below visible. */
const EVIDENCE_FIRST = 3

const Evidence = ({ of, onLine }: { of: Found['evidence']; onLine(line: number): void }) => (
  <div className="grid gap-1.5">
    <h3 className="text-sm font-medium">Evidence</h3>
    <EvidenceLines of={of.slice(0, EVIDENCE_FIRST)} onLine={onLine} />
    {of.length > EVIDENCE_FIRST && (
      <details className="text-sm">
        <summary className="text-soft hover:text-ink">{countOf(of.length - EVIDENCE_FIRST, 'more line')}</summary>
        <EvidenceLines of={of.slice(EVIDENCE_FIRST)} onLine={onLine} />
      </details>
    )}
  </div>
)

const EVIDENCE_LINE = 'flex w-full gap-3 border-l-3 border-err bg-err-wash px-2 py-1 text-left font-mono text-xs'

const EvidenceLines = ({ of, onLine }: { of: Found['evidence']; onLine(line: number): void }) => (
  <ul className="grid overflow-hidden rounded-md border border-line">
    {of.map(({ line, text }, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: lines of test reports have no number
      <li key={at} className="border-b border-line last:border-0">
        {line === 0 ? (
          <div className={EVIDENCE_LINE}>
            <span className="shrink-0 text-soft">test report</span>
            <span className="line-clamp-2 min-w-0 break-all">{text}</span>
          </div>
        ) : (
          <button type="button" onClick={() => onLine(line)} className={`${EVIDENCE_LINE} hover:brightness-95`}>
            <span className="shrink-0 text-soft tabular-nums">line {line}</span>
            <span className="line-clamp-2 min-w-0 break-all">{text}</span>
          </button>
        )}
      </li>
    ))}
  </ul>
)

function Ask({ again }: { again: boolean }) {
  const { projectId = '', buildId = '' } = useParams({ strict: false })
  const account = useAccount()
  const locked = useLocked()
  const start = useWrite('investigateBuild', ['showBuild', 'showMe', 'listBuildHistory'])
  const { error } = start
  const { metering } = useMe()
  return (
    <div className="grid justify-items-end gap-2">
      <div className="flex flex-wrap items-center gap-3">
        {account && account.credits !== null && <span className="text-xs text-soft">Costs 1 credit, {account.credits} left</span>}
        <Button
          look="main"
          busy={start.isPending}
          disabled={locked !== undefined}
          title={locked}
          onClick={() => start.mutate({ project_id: projectId, build_run_id: buildId })}
        >
          {again ? 'Investigate again' : 'Investigate'}
        </Button>
      </div>
      {error && (
        <Notice kind="err">
          {failureOf(error)}
          {error instanceof ApiError && error.status === 402 && metering && (
            <Link to="/settings/billing" className="ml-2 underline">
              Billing
            </Link>
          )}
        </Notice>
      )}
    </div>
  )
}
