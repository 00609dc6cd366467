import { useState } from 'react'
import type { FailureRule } from '../../../contract/app/rules.ts'
import { labelOf } from '../../../contract/labels.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useAccount, useMay } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/page.tsx'
import { Pill } from '../../ui/pill.tsx'
import { FailureRuleForm } from './failure-rule-form.tsx'

/** The account's own failure rules. They belong to the account, so its owners write them. */
export function FailureRules({ accountId }: { accountId: number }) {
  const account = useAccount()
  const owner = useMay('admin')
  const locked = !owner || Boolean(account?.read_only)
  const [editing, setEditing] = useState<FailureRule | 'new'>()
  const query = useApi('listFailureRules', { account_id: accountId })
  return (
    <Section
      title="Failure rules"
      actions={
        editing === undefined && (
          <Button disabled={locked} onClick={() => setEditing('new')}>
            New rule
          </Button>
        )
      }
    >
      <p className="text-sm text-soft">
        Rules that find the cause of a failure in the log of your own tools. They apply to every project of {account?.name}, from
        the next investigation on, in addition to the built-in rules.
        {!owner && ' Only owners of the account can change them.'}
      </p>
      {editing ? (
        <FailureRuleForm
          key={editing === 'new' ? '' : editing.rule_id}
          accountId={accountId}
          {...(editing === 'new' ? {} : { rule: editing })}
          onDone={() => setEditing(undefined)}
        />
      ) : (
        <Loaded query={query}>
          {({ failure_rules }) => (
            <ul className="grid gap-2">
              {failure_rules.map((rule) => (
                <Line key={rule.rule_id} accountId={accountId} rule={rule} locked={locked} onEdit={() => setEditing(rule)} />
              ))}
              {failure_rules.length === 0 && <li className="text-sm">No failure rules yet.</li>}
            </ul>
          )}
        </Loaded>
      )}
    </Section>
  )
}

interface LineProps {
  accountId: number
  rule: FailureRule
  locked: boolean
  onEdit(): void
}

function Line({ accountId, rule: { rule_id, replaces_ours, problem, definition }, locked, onEdit }: LineProps) {
  const remove = useWrite('removeFailureRule', ['listFailureRules'])
  const { tool, category, match } = definition
  return (
    <li className="flex flex-wrap items-start justify-between gap-2 rounded-md border border-line p-3">
      <div className="grid min-w-0 gap-1">
        <div className="flex flex-wrap items-center gap-2">
          <span className="wrap-anywhere font-medium">{rule_id}</span>
          <Pill kind="neutral">{labelOf('failure_category', category)}</Pill>
          {replaces_ours && <Pill kind="info">Replaces a built-in rule</Pill>}
          {problem !== null && <Pill kind="warn">Disabled</Pill>}
        </div>
        {problem !== null && <span className="text-sm">{problem} Edit the rule to enable it again.</span>}
        <span className="text-sm text-soft">{tool}</span>
        <code className="break-all font-mono text-xs text-soft">{match}</code>
      </div>
      <div className="flex gap-2">
        <Button disabled={locked} aria-label={`Edit ${rule_id}`} onClick={onEdit}>
          Edit
        </Button>
        <Confirm
          label="Remove"
          title={`Remove ${rule_id}?`}
          action="Remove it"
          disabled={locked}
          done="Rule removed"
          run={() => remove.mutateAsync({ account_id: accountId, rule_id })}
        >
          New investigations no longer use it. Finished investigations stay as they are.
          {replaces_ours && ' The built-in rule that it replaced is used again.'}
        </Confirm>
      </div>
    </li>
  )
}
