import { useState } from 'react'
import type { Channel, ChannelRule } from '../../../contract/app/channels.ts'
import type { AccountSummary } from '../../../contract/app/shapes.ts'
import { useWrite } from '../../queries.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Notice } from '../../ui/notice.tsx'
import { useReport, useToast } from '../../ui/toast.tsx'
import { RuleDialog } from './rule-dialog.tsx'
import { wordsOfRule } from './rule-words.ts'

interface Props {
  channel: Channel
  account: AccountSummary
  locked: boolean
}

/** The rules of a channel, one line each. They are saved together: unchanged ones are sent along. */
export function ChannelRules({ channel: { id, account_id, name, rules, unmatched_patterns }, account, locked }: Props) {
  const [opened, setOpened] = useState<number>()
  const edit = useWrite('editChannel', ['listChannels'])
  const say = useToast()
  const report = useReport()
  const { projects } = useMe()
  const put = (next: ChannelRule[]) => edit.mutateAsync({ account_id, id, body: { rules: next } })
  const save = async (at: number, rule: ChannelRule) => {
    await put(at < rules.length ? rules.map((one, i) => (i === at ? rule : one)) : [...rules, rule])
    say('Rule saved')
  }
  const remove = (at: number) => report(put(rules.filter((_, i) => i !== at)), 'Rule removed')
  const projectOf = (rule: ChannelRule) =>
    projects.find((one) => one.id === rule.project_id)?.name ?? `Project ${rule.project_id}`
  const isUnmatched = (rule: ChannelRule) =>
    unmatched_patterns.some(({ project_id, branch }) => project_id === rule.project_id && branch === rule.branch)
  return (
    <section aria-label={`Rules of ${name}`} className="grid gap-2">
      <div className="flex flex-wrap items-center justify-between gap-2">
        <h3 className="text-sm font-medium">Rules</h3>
        <Button look="quiet" disabled={locked} onClick={() => setOpened(rules.length)}>
          Add rule
        </Button>
      </div>
      {rules.length === 0 ? (
        <Notice kind="warn">No rules yet. Add a rule to send messages to this channel.</Notice>
      ) : (
        <ul className="grid overflow-hidden rounded-md border border-line text-sm">
          {rules.map((rule, i) => {
            const words = `${projectOf(rule)}: ${wordsOfRule(rule)}`
            return (
              // biome-ignore lint/suspicious/noArrayIndexKey: a rule is identified by its index only
              <li key={i} className="flex flex-wrap items-center gap-x-2 border-b border-line px-3 py-1 last:border-0">
                <span className="wrap-anywhere min-w-48 flex-1 py-1">
                  <span className="font-medium">{projectOf(rule)}</span>: {wordsOfRule(rule)}
                  {isUnmatched(rule) && <span className="block text-xs text-warn">No branch matches {rule.branch}.</span>}
                </span>
                <span className="flex">
                  <Button look="quiet" disabled={locked} onClick={() => setOpened(i)}>
                    Edit <span className="sr-only">{words}</span>
                  </Button>
                  <Button look="quiet" disabled={locked} onClick={() => void remove(i)}>
                    Remove <span className="sr-only">{words}</span>
                  </Button>
                </span>
              </li>
            )
          })}
        </ul>
      )}
      {opened !== undefined && (
        <RuleDialog
          account={account}
          rule={rules[opened]}
          onSave={(rule) => save(opened, rule)}
          onClose={() => setOpened(undefined)}
        />
      )}
    </section>
  )
}
