import { useState } from 'react'
import { labelOf } from '../../../contract/labels.ts'
import { PATTERN_MAX } from '../../../contract/limits.ts'
import { EVERY_VERSION } from '../../../contract/routes/approval-defaults.ts'
import type { ApprovalRule } from '../../../contract/routes/approval-rules.ts'
import { ACCOUNT_ROLES, type AccountRole, ASSET_TYPES, type AssetType } from '../../../contract/sets.ts'
import { wordsOf } from '../../api.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Checkbox, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Notice } from '../../ui/notice.tsx'
import { ApprovalPreview } from './approval-preview.tsx'
import { StagesField } from './stages-field.tsx'

const MEGABYTE = 1_000_000

interface Props {
  projectId: number
  /** The rule to edit; otherwise a new one is created. */
  rule: ApprovalRule | undefined
  /** All rules of the project, including this one. */
  withRule(rule: ApprovalRule): ApprovalRule[]
  onSave(rule: ApprovalRule): Promise<unknown>
  onClose(): void
}

export function ApprovalRuleDialog({ projectId, rule, withRule, onSave, onClose }: Props) {
  const [draft, setDraft] = useState<ApprovalRule>(rule ?? { ...EVERY_VERSION, gate: false })
  const [problem, setProblem] = useState<string>()
  const preview = useWrite('previewApprovalRules')
  const put = (change: { [K in keyof ApprovalRule]?: ApprovalRule[K] | undefined }) => {
    setDraft({ ...draft, ...change })
    setProblem(undefined)
    preview.reset()
  }
  const { larger_than, author_roles = [], stages = [], gate = true, ...matched } = draft
  const trimmed = (): ApprovalRule => ({
    ...matched,
    path: draft.path.trim(),
    branch: draft.branch.trim(),
    author: draft.author.trim(),
    ...(larger_than !== undefined && { larger_than }),
    ...(author_roles.length > 0 && { author_roles }),
    ...(stages.length > 0 && { stages: stages.map((stage) => ({ ...stage, name: stage.name.trim() })) }),
    gate,
  })
  const show = () =>
    preview
      .mutateAsync({ project_id: projectId, body: { approval_rules: withRule(trimmed()) } })
      .catch((error: unknown) => setProblem(wordsOf(error)))
  const toggleRole = (role: AccountRole, on: boolean) =>
    put({ author_roles: ACCOUNT_ROLES.filter((one) => (one === role ? on : author_roles.includes(one))) })
  const toggle = (type: AssetType, on: boolean) =>
    put({ asset_types: ASSET_TYPES.filter((one) => (one === type ? on : draft.asset_types.includes(one))) })
  const submit = async () => {
    await onSave(trimmed())
    onClose()
  }
  const pattern = (name: 'path' | 'branch' | 'author') => ({
    maxLength: PATTERN_MAX,
    autoComplete: 'off',
    spellCheck: false,
    value: draft[name],
    onChange: (value: string) => put({ [name]: value }),
  })
  return (
    <Dialog title={rule ? 'Edit approval rule' : 'New approval rule'} open onClose={onClose}>
      <Form
        action={rule ? 'Save' : 'Add rule'}
        submit={submit}
        beside={
          <Button busy={preview.isPending} onClick={() => void show()}>
            Preview
          </Button>
        }
      >
        <p className="text-sm text-soft">
          A changed file needs approval if it matches all fields. Empty fields match everything, and * matches any text.
        </p>
        <TextField
          label="Path"
          hint="From the root or any folder, such as Content/Art/* or *.psd. Case-insensitive."
          placeholder="Content/Art/*"
          {...pattern('path')}
        />
        <fieldset className="grid gap-2">
          <legend className="mb-2 text-sm font-medium">Asset types (none selected: all)</legend>
          <div className="grid grid-cols-2 gap-2 sm:grid-cols-3">
            {ASSET_TYPES.map((type) => (
              <Checkbox
                key={type}
                label={labelOf('asset_type', type)}
                checked={draft.asset_types.includes(type)}
                onChange={(isChecked) => toggle(type, isChecked)}
              />
            ))}
          </div>
        </fieldset>
        <div className="grid items-start gap-4 sm:grid-cols-2">
          <TextField label="Branch" placeholder="main" {...pattern('branch')} />
          <TextField label="Author" hint="The author as shown on changes." placeholder="Mia Sol" {...pattern('author')} />
        </div>
        <fieldset className="grid gap-2">
          <legend className="mb-2 text-sm font-medium">Roles of the author in the account (none selected: anybody)</legend>
          <div className="grid grid-cols-2 gap-2 sm:grid-cols-4">
            {ACCOUNT_ROLES.map((role) => (
              <Checkbox
                key={role}
                label={labelOf('account_role', role)}
                checked={author_roles.includes(role)}
                onChange={(isChecked) => toggleRole(role, isChecked)}
              />
            ))}
          </div>
          <p className="text-xs text-soft">Outsourcers are guests. An author who is not linked to a member has no role.</p>
        </fieldset>
        <TextField
          label="Larger than (MB)"
          hint="Files whose size no tool reported don't match."
          type="number"
          min={0}
          step="any"
          max={1_000_000}
          value={larger_than === undefined ? '' : larger_than / MEGABYTE}
          onChange={(value) => put({ larger_than: value === '' ? undefined : Math.round(Number(value) * MEGABYTE) })}
        />
        <StagesField projectId={projectId} stages={stages} onChange={(stages) => put({ stages })} />
        <Checkbox
          label="Builds wait for the approval"
          hint="A build of the change that passed has the status Waiting for approval until its assets are decided."
          checked={gate}
          onChange={(gate) => put({ gate })}
        />
        {preview.data && <ApprovalPreview projectId={projectId} preview={preview.data} />}
        {problem && <Notice kind="err">{problem}</Notice>}
      </Form>
    </Dialog>
  )
}
