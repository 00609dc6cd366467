import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { CorrectionInput } from '../../../contract/bodies.ts'
import type { Correction } from '../../../contract/health-shapes.ts'
import { labelOf } from '../../../contract/labels.ts'
import { CAUSE_MAX } from '../../../contract/limits.ts'
import { CORRECT_CATEGORIES } from '../../../contract/sets.ts'
import type { Investigation } from '../../../contract/shapes.ts'
import { ask } from '../../api.ts'
import { useApi, useWrite } from '../../queries.ts'
import { useLocked, useNames } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { Select, TextArea, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Time } from '../../ui/text/time.tsx'
import { correctionOf, givenBy } from './correction.ts'
import { readRange } from './log/line-range.ts'

const REFRESHED = ['showBuild', 'listBuildHistory', 'listCorrections', 'showBreakage', 'listBreakages'] as const

/** The correction that applies to the build of the page; undefined while there is none. */
function useCorrection(): Correction | undefined {
  const { projectId = '', buildId = '' } = useParams({ strict: false })
  const { data } = useApi('listCorrections', { project_id: projectId, query: { build_run_id: buildId } })
  return data?.corrections[0]
}

function useCorrect(buildId: string) {
  const { projectId = '' } = useParams({ strict: false })
  const write = useWrite('correctBuild', [...REFRESHED])
  return (body: CorrectionInput) => write.mutateAsync({ project_id: projectId, build_run_id: buildId, body })
}

/** Who corrected the finding, with a button that undoes it. */
export function CorrectedBy() {
  const { projectId = '' } = useParams({ strict: false })
  const correction = useCorrection()
  const undo = useWrite('undoCorrection', [...REFRESHED])
  const nameOf = useNames()
  const locked = useLocked()
  if (!correction) return null
  const { id, user_id, corrected_at } = correction
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 text-sm text-soft">
      <span>
        Corrected by {user_id === null ? 'a former member' : nameOf(user_id)} <Time at={corrected_at} />
      </span>
      <Confirm
        label="Undo"
        title="Undo this correction?"
        action="Undo correction"
        look="quiet"
        disabled={locked !== undefined}
        run={() => undo.mutateAsync({ project_id: projectId, id })}
        done="Correction undone"
      >
        Goldmaster investigates the builds that it applied to again.
      </Confirm>
    </div>
  )
}

const KEEP = ['', 'Keep the category'] as const
const CATEGORIES = CORRECT_CATEGORIES.map((category) => [category, labelOf('failure_category', category)] as const)

interface Found extends Pick<Investigation, 'diagnosis'> {
  buildId: string
  /** The line that shows the cause in the log of the build; undefined if the page does not show the log. */
  line?: number | null
}

/** A form for whoever knows better than the finding. */
export function CorrectFinding(found: Found) {
  const [open, setOpen] = useState(false)
  const locked = useLocked()
  return (
    <>
      <Button look="quiet" disabled={locked !== undefined} title={locked} onClick={() => setOpen(true)}>
        Correct
      </Button>
      <Dialog title="Correct this finding" open={open} onClose={() => setOpen(false)}>
        <CorrectionForm {...found} onDone={() => setOpen(false)} />
      </Dialog>
    </>
  )
}

function CorrectionForm({ buildId, line, diagnosis, onDone }: Found & { onDone(): void }) {
  const correct = useCorrect(buildId)
  const { projectId = '' } = useParams({ strict: false })
  const marked = readRange(window.location.hash)?.first
  const [draft, setDraft] = useState({ line: marked === undefined ? '' : String(marked), category: '', cause: '' })
  const body = correctionOf(draft)
  const set = (name: keyof typeof draft) => (value: string) => setDraft((before) => ({ ...before, [name]: value }))
  const submit = async () => {
    await correct(body)
    onDone()
  }
  return (
    <Form
      action="Save correction"
      submit={submit}
      done="Correction saved. Investigating again."
      disabled={Object.keys(body).length === 0}
      beside={<Button onClick={onDone}>Cancel</Button>}
    >
      <p className="text-sm text-soft">
        Leave a field empty if the finding is right about it. The same failure in other builds of this project is corrected too.
      </p>
      {line === undefined ? (
        <p className="text-sm text-soft">
          If another line of the log shows the cause, correct it on the page of the{' '}
          <Link to="/projects/$projectId/builds/$buildId" params={{ projectId, buildId }} className="underline">
            first build
          </Link>
          .
        </p>
      ) : (
        <TextField
          label="Log line"
          type="number"
          min={1}
          inputMode="numeric"
          value={draft.line}
          onChange={set('line')}
          placeholder={line === null ? '' : String(line)}
          hint="Number of the line that shows the cause. Click a line number in the log first to fill it in."
        />
      )}
      <Select label="Category" value={draft.category} onChange={set('category')} options={[KEEP, ...CATEGORIES]} />
      <TextArea
        label="Cause"
        rows={2}
        maxLength={CAUSE_MAX}
        value={draft.cause}
        onChange={set('cause')}
        placeholder={diagnosis ?? ''}
      />
    </Form>
  )
}

/** Clears a suspected change of the build. Other changes stay suspected. */
export function ClearChange({ changeId, buildId }: { changeId: number; buildId: string }) {
  const { projectId = '' } = useParams({ strict: false })
  const correct = useCorrect(buildId)
  const locked = useLocked()
  if (locked !== undefined) return null
  const clear = async () => {
    const { corrections } = await ask('listCorrections', { project_id: projectId, query: { build_run_id: buildId } })
    return correct({ cleared_change_ids: givenBy(corrections[0], buildId, changeId) })
  }
  return (
    <Confirm
      label="Not the cause"
      title="Clear this change?"
      action="Clear change"
      look="quiet"
      run={clear}
      done="Change cleared. Investigating again."
    >
      The change is no longer suspected. If its author got a message about this failure, they get another one that clears them.
    </Confirm>
  )
}
