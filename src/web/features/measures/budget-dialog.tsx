import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { BRANCH_MAX, PATTERN_MAX } from '../../../contract/limits.ts'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'

type Budget = AppReply<'listMeasureBudgets'>['budgets'][number]

const UNITS = [
  ['', 'unit of the measure'],
  ['MB', 'MB'],
  ['GB', 'GB'],
  ['ms', 'ms'],
  ['s', 's'],
  ['min', 'min'],
] as const

const NONE = {
  ...{ measure: '', job: '', branch: '', platform: '', configuration: '' },
  ...{ max: '', unit: '', growth: '', store: '', track: '' },
}

const numberOf = (text: string) => (text.trim() === '' ? null : Number(text))
const isNumber = (text: string) => text.trim() === '' || (Number.isFinite(Number(text)) && Number(text) >= 0)

export function BudgetDialog({ add, onClose }: { add(budget: Budget): Promise<unknown>; onClose(): void }) {
  const [draft, setDraft] = useState(NONE)
  const fieldOf = (name: keyof typeof NONE) => ({
    value: draft[name],
    onChange: (value: string) => setDraft((before) => ({ ...before, [name]: value })),
  })
  const { max, unit, growth } = draft
  const isComplete =
    draft.measure.trim() !== '' && isNumber(max) && isNumber(growth) && (max.trim() !== '' || growth.trim() !== '')
  const submit = async () => {
    const limit = numberOf(max)
    const grows = numberOf(growth)
    await add({
      measure: draft.measure.trim(),
      job: draft.job.trim(),
      branch: draft.branch.trim(),
      platform: draft.platform.trim(),
      configuration: draft.configuration.trim(),
      max_value: limit,
      unit: limit === null ? '' : unit,
      max_growth: grows,
      store: grows === null ? '' : draft.store.trim(),
      track: grows === null ? '' : draft.track.trim(),
    })
    onClose()
  }
  return (
    <Dialog title="Add a budget" open onClose={onClose}>
      <Form action="Add" submit={submit} done="Budget added" disabled={!isComplete}>
        <TextField
          label="Measure"
          required
          maxLength={PATTERN_MAX}
          hint="Such as package; * matches any text"
          {...fieldOf('measure')}
        />
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField label="Highest value" maxLength={20} {...fieldOf('max')} />
          <Select label="Unit" options={UNITS} {...fieldOf('unit')} />
          <TextField
            label="Highest growth in percent"
            maxLength={10}
            hint="Compared with the build that is live in a store"
            {...fieldOf('growth')}
          />
          {growth.trim() !== '' && (
            <>
              <TextField label="Store" maxLength={PATTERN_MAX} hint="Such as steam" {...fieldOf('store')} />
              <TextField label="Track" maxLength={PATTERN_MAX} hint="Such as default or beta" {...fieldOf('track')} />
            </>
          )}
        </div>
        <p className="text-sm text-soft">
          Optional: only for some jobs, branches, platforms or configurations. * matches any text.
        </p>
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField label="Job" maxLength={PATTERN_MAX} {...fieldOf('job')} />
          <TextField label="Branch" maxLength={BRANCH_MAX} {...fieldOf('branch')} />
          <TextField label="Platform" maxLength={PATTERN_MAX} {...fieldOf('platform')} />
          <TextField label="Configuration" maxLength={PATTERN_MAX} {...fieldOf('configuration')} />
        </div>
      </Form>
    </Dialog>
  )
}
