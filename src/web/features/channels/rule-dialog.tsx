import { type ReactNode, useState } from 'react'
import type { ChannelRule } from '../../../contract/app/channels.ts'
import type { AccountSummary } from '../../../contract/app/shapes.ts'
import { RULE_SUBJECTS, type RuleSubject } from '../../../contract/channels.ts'
import { choicesOf } from '../../../contract/labels.ts'
import { PATTERN_MAX } from '../../../contract/limits.ts'
import { FAILURE_CATEGORIES, type FailureCategory } from '../../../contract/sets.ts'
import { useMe } from '../../session.ts'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Checkbox, Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { NARROWED_BY, newRule } from './rule-words.ts'

interface Props {
  account: AccountSummary
  /** The rule to edit; otherwise a new one is created. */
  rule: ChannelRule | undefined
  onSave(rule: ChannelRule): Promise<unknown>
  onClose(): void
}

const HOURS = 24
const CATEGORIES = [['', 'Any'], ...choicesOf('failure_category', FAILURE_CATEGORIES)] as const

export function RuleDialog({ account, rule, onSave, onClose }: Props) {
  const projects = useMe().projects.filter(({ account_id }) => account_id === account.id)
  const [draft, setDraft] = useState(rule ?? newRule(projects[0]?.id ?? 0))
  const put = (change: Partial<ChannelRule>) => setDraft({ ...draft, ...change })
  const { subject } = draft
  const isNarrowed = (by: 'branch' | 'job' | 'category') => NARROWED_BY[subject].includes(by)
  const submit = async () => {
    await onSave({
      ...draft,
      branch: isNarrowed('branch') ? draft.branch.trim() : '',
      job: isNarrowed('job') ? draft.job.trim() : '',
      category: isNarrowed('category') ? draft.category : null,
      hours: subject === 'last_known_good' ? (draft.hours ?? HOURS) : null,
    })
    onClose()
  }
  return (
    <Dialog title={rule ? 'Edit rule' : 'New rule'} open onClose={onClose}>
      <Form action={rule ? 'Save' : 'Add rule'} submit={submit} disabled={projects.length === 0}>
        <Pair>
          <Select
            label="Project"
            options={projects.map(({ id, name }) => [String(id), name] as const)}
            value={String(draft.project_id)}
            onChange={(value) => put({ project_id: Number(value) })}
          />
          <Select
            label="Event"
            hint={RULE_SUBJECTS[subject]}
            options={choicesOf('rule_subject', Object.keys(RULE_SUBJECTS))}
            value={subject}
            onChange={(value) => put({ subject: value as RuleSubject })}
          />
        </Pair>
        <Pair>
          {isNarrowed('branch') && <Pattern label="Branch" value={draft.branch} onChange={(branch) => put({ branch })} />}
          {isNarrowed('job') && <Pattern label="Job" value={draft.job} onChange={(job) => put({ job })} />}
          {isNarrowed('category') && (
            <Select
              label="Category"
              options={CATEGORIES}
              value={draft.category ?? ''}
              onChange={(value) => put({ category: (value || null) as FailureCategory | null })}
            />
          )}
          {subject === 'last_known_good' && (
            <TextField
              label="Older than (hours)"
              hint="One message per last known good change."
              type="number"
              min={1}
              max={2000}
              required
              value={draft.hours ?? HOURS}
              onChange={(value) => put({ hours: Number(value) })}
            />
          )}
        </Pair>
        <Quiet account={account} draft={draft} onChange={put} />
        <Checkbox
          label="Ping @here"
          hint="Pings everybody who is online in the channel. Otherwise only suspects and owners are pinged."
          checked={draft.here}
          onChange={(here) => put({ here })}
        />
      </Form>
    </Dialog>
  )
}

const Pair = ({ children }: { children: ReactNode }) => <div className="grid items-start gap-4 sm:grid-cols-2">{children}</div>

const Pattern = ({ label, value, onChange }: { label: string; value: string; onChange(value: string): void }) => (
  <TextField
    label={label}
    hint="* matches any text. Empty matches all."
    placeholder="*"
    maxLength={PATTERN_MAX}
    autoComplete="off"
    spellCheck={false}
    value={value}
    onChange={onChange}
  />
)

interface QuietProps {
  account: AccountSummary
  draft: ChannelRule
  onChange(change: Partial<ChannelRule>): void
}

function Quiet({ account, draft: { quiet_from, quiet_until }, onChange }: QuietProps) {
  return (
    <div className="grid gap-3">
      <Checkbox
        label="Quiet hours"
        hint={`Messages are held until the end of these hours, in the time zone of ${account.name} (${account.timezone}).`}
        checked={quiet_from !== null}
        onChange={(isChecked) =>
          onChange(isChecked ? { quiet_from: '20:00', quiet_until: '08:00' } : { quiet_from: null, quiet_until: null })
        }
      />
      {quiet_from !== null && (
        <Pair>
          <TextField label="From" type="time" required value={quiet_from} onChange={(quiet_from) => onChange({ quiet_from })} />
          <TextField
            label="Until"
            type="time"
            required
            value={quiet_until ?? ''}
            onChange={(quiet_until) => onChange({ quiet_until })}
          />
        </Pair>
      )}
    </div>
  )
}
