import { APPROVAL_STAGES_MAX, STAGE_APPROVALS_MAX, STAGE_MAX } from '../../../contract/limits.ts'
import type { ApprovalStage } from '../../../contract/routes/approval-rules.ts'
import { useAssignees, useNames } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Select, TextField } from '../../ui/form/field.tsx'

const NEW_STAGE: ApprovalStage = { name: '', project_role: 'approver', user_ids: [], approvals: 1 }

interface Props {
  projectId: number
  stages: readonly ApprovalStage[]
  onChange(stages: ApprovalStage[]): void
}

/** The stages of a rule in order. Without any, one approver decides. */
export function StagesField({ projectId, stages, onChange }: Props) {
  const put = (at: number, change: Partial<ApprovalStage>) =>
    onChange(stages.map((stage, i) => (i === at ? { ...stage, ...change } : stage)))
  const first = { ...NEW_STAGE, name: stages.length === 0 ? 'review' : '' }
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-2 text-sm font-medium">Stages</legend>
      {stages.length === 0 && (
        <p className="text-sm text-soft">One approver decides. Add stages if more people must approve, in order.</p>
      )}
      {stages.map((stage, at) => (
        <Stage
          // biome-ignore lint/suspicious/noArrayIndexKey: a stage is identified by its place only
          key={at}
          projectId={projectId}
          number={at + 1}
          stage={stage}
          onChange={(change) => put(at, change)}
          onRemove={() => onChange(stages.filter((_, i) => i !== at))}
        />
      ))}
      <div>
        <Button disabled={stages.length >= APPROVAL_STAGES_MAX} onClick={() => onChange([...stages, first])}>
          Add stage
        </Button>
      </div>
    </fieldset>
  )
}

interface StageProps {
  projectId: number
  number: number
  stage: ApprovalStage
  onChange(change: Partial<ApprovalStage>): void
  onRemove(): void
}

function Stage({ projectId, number, stage: { name, project_role, user_ids, approvals }, onChange, onRemove }: StageProps) {
  const people = useAssignees(String(projectId)).data?.people ?? []
  const nameOf = useNames()
  const others = people.filter(({ user_id }) => !user_ids.includes(user_id))
  return (
    <fieldset aria-label={`Stage ${number}`} className="grid gap-3 rounded-md border border-line p-3">
      <div className="grid gap-3 sm:grid-cols-[1fr_10rem_6rem]">
        <TextField
          label={`Name of stage ${number}`}
          required
          maxLength={STAGE_MAX}
          autoComplete="off"
          placeholder="art direction"
          value={name}
          onChange={(name) => onChange({ name })}
        />
        <Select
          label="Who decides"
          options={[
            ['approver', 'Approvers'],
            ['lead', 'Leads'],
          ]}
          value={project_role}
          onChange={(role) => onChange(role === 'lead' ? { project_role: 'lead' } : { project_role: 'approver', user_ids: [] })}
        />
        <TextField
          label="Approvals"
          type="number"
          required
          min={1}
          max={STAGE_APPROVALS_MAX}
          value={approvals}
          onChange={(value) => onChange({ approvals: Number(value) })}
        />
      </div>
      {project_role === 'lead' && (
        <>
          <Select
            label="People who can decide too"
            hint="They need the Approver role in the project."
            options={[['', 'Add somebody…'], ...others.map(({ user_id, name }) => [String(user_id), name] as const)]}
            value=""
            onChange={(user) => user && onChange({ user_ids: [...user_ids, Number(user)] })}
          />
          {user_ids.length > 0 && (
            <ul aria-label="People who can decide too" className="flex flex-wrap gap-2 text-sm">
              {user_ids.map((user) => (
                <li key={user} className="flex items-center rounded-md border border-line pl-2">
                  {nameOf(user)}
                  <Button look="quiet" onClick={() => onChange({ user_ids: user_ids.filter((one) => one !== user) })}>
                    Remove <span className="sr-only">{nameOf(user)}</span>
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
      <div>
        <Button look="quiet" onClick={onRemove}>
          Remove stage <span className="sr-only">{name || number}</span>
        </Button>
      </div>
    </fieldset>
  )
}
