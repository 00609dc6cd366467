import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { sentence } from '../../../contract/labels.ts'
import { APPROVAL_RULES_MAX } from '../../../contract/limits.ts'
import { DEFAULT_RULES } from '../../../contract/routes/approval-defaults.ts'
import type { ApprovalRule } from '../../../contract/routes/approval-rules.ts'
import { useWrite } from '../../queries.ts'
import { useNames } from '../../session.ts'
import { Empty } from '../../ui/empty.tsx'
import { Button } from '../../ui/form/button.tsx'
import { Section } from '../../ui/page.tsx'
import { useReport, useToast } from '../../ui/toast.tsx'
import { ApprovalRuleDialog } from './rule-dialog.tsx'
import { wordsOfRule, wordsOfStages } from './rule-words.ts'

type Settings = AppReply<'showProjectSettings'>

/** Which asset versions need approval. Rules are saved together, as a list. */
export function ApprovalRules({ settings, locked }: { settings: Settings; locked: boolean }) {
  const { id, approval_rules, unmatched_patterns } = settings
  const rules = approval_rules ?? DEFAULT_RULES
  const [opened, setOpened] = useState<number>()
  const edit = useWrite('editProject', ['showProjectSettings'])
  const say = useToast()
  const nameOf = useNames()
  const report = useReport()
  const put = async (next: ApprovalRule[] | null, done: string) => {
    await edit.mutateAsync({ project_id: id, body: { approval_rules: next } })
    say(done)
  }
  const tryToPut = (next: ApprovalRule[] | null, done: string) => report(put(next, done))
  const withRule = (at: number, rule: ApprovalRule) =>
    at < rules.length ? rules.map((one, i) => (i === at ? rule : one)) : [...rules, rule]
  const add = (
    <Button
      disabled={locked || rules.length >= APPROVAL_RULES_MAX}
      look={rules.length === 0 ? 'main' : 'plain'}
      onClick={() => setOpened(rules.length)}
    >
      Add rule
    </Button>
  )
  const usual = (
    <Button look="quiet" disabled={locked || edit.isPending} onClick={() => void tryToPut(null, 'Default rule added')}>
      Use the default rule
    </Button>
  )
  return (
    <Section title="Approval rules" actions={rules.length > 0 && add}>
      {rules.length === 0 ? (
        <Empty
          title="No approval rules yet"
          action={
            <div className="flex flex-wrap justify-center gap-2">
              {add}
              {usual}
            </div>
          }
        >
          No asset needs approval. Add a rule for the assets that must be reviewed. The default rule covers every changed texture,
          model, audio file, level, material, animation and video.
        </Empty>
      ) : (
        <>
          <p className="text-sm text-soft">
            A changed file needs approval by the first rule that it matches.
            {approval_rules === null && ' This is the default rule.'}
          </p>
          <ul className="grid overflow-hidden rounded-md border border-line text-sm">
            {rules.map((rule, i) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule is identified by its index only
              <li key={i} className="flex flex-wrap items-center gap-x-2 border-b border-line px-3 py-1 last:border-0">
                <span className="wrap-anywhere min-w-48 flex-1 py-1">
                  {wordsOfRule(rule)}
                  <span className="block text-xs text-soft">
                    {rule.stages && rule.stages.length > 0 && `${sentence(wordsOfStages(rule.stages, nameOf))}. `}
                    {(rule.gate ?? true) ? 'Builds wait for the approval.' : "Builds don't wait."}
                  </span>
                  {unmatched_patterns.includes(rule.branch) && (
                    <span className="block text-xs text-warn">No branch matches {rule.branch}.</span>
                  )}
                </span>
                <span className="flex">
                  {i > 0 && (
                    <Button
                      look="quiet"
                      disabled={locked || edit.isPending}
                      onClick={() => void tryToPut(rules.toSpliced(i - 1, 2, rule, rules[i - 1]!), 'Rule moved up')}
                    >
                      Move up <span className="sr-only">{wordsOfRule(rule)}</span>
                    </Button>
                  )}
                  <Button look="quiet" disabled={locked} onClick={() => setOpened(i)}>
                    Edit <span className="sr-only">{wordsOfRule(rule)}</span>
                  </Button>
                  <Button
                    look="quiet"
                    disabled={locked || edit.isPending}
                    onClick={() => {
                      const rest = rules.filter((_, at) => at !== i)
                      void tryToPut(rest, rest.length === 0 ? 'Rule removed. No asset needs approval now' : 'Rule removed')
                    }}
                  >
                    Remove <span className="sr-only">{wordsOfRule(rule)}</span>
                  </Button>
                </span>
              </li>
            ))}
          </ul>
          {approval_rules !== null && <div>{usual}</div>}
        </>
      )}
      <p className="text-xs text-soft">
        Rules apply to new changes. Assets that already wait for approval stay in the queue until somebody decides.
      </p>
      {opened !== undefined && (
        <ApprovalRuleDialog
          projectId={id}
          rule={rules[opened]}
          withRule={(rule) => withRule(opened, rule)}
          onSave={(rule) => put(withRule(opened, rule), 'Rule saved')}
          onClose={() => setOpened(undefined)}
        />
      )}
    </Section>
  )
}
