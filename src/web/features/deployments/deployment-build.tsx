import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf } from '../../../contract/labels.ts'
import { useApi, useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'
import { useReport } from '../../ui/toast.tsx'
import { BuildLine } from '../builds/build-line.tsx'

type Candidate = AppReply<'showDeploymentBuild'>['candidates'][number]

/** How the build was found, or why there is none, with the candidates. */
export function DeploymentBuild({
  projectId,
  id,
  linked,
  locked,
}: {
  projectId: string
  id: string
  linked: string | null
  locked: boolean
}) {
  const { data } = useApi('showDeploymentBuild', { project_id: projectId, id })
  const edit = useWrite('editDeployment', [
    'showDeployment',
    'showDeploymentBuild',
    'compareDeployment',
    'listDeploymentHistory',
    'showRelease',
  ])
  const report = useReport()
  const [typed, setTyped] = useState('')
  if (!data) return null
  const pick = (build_run_id: string | null) =>
    edit.mutateAsync({ project_id: projectId, id, body: { build_run_id: build_run_id === null ? null : Number(build_run_id) } })
  const pickListed = ({ id }: Candidate) => void report(pick(id), 'Build linked', 'Not saved: ')
  if (linked !== null)
    return data.basis === null ? null : <p className="text-sm text-soft">{labelOf('build_basis', data.basis)}</p>
  return (
    <Section title="Build unknown">
      {data.reason && <p className="text-sm">{labelOf('build_gap', data.reason)}</p>}
      <ul aria-label="Candidates" className="grid grid-cols-1 gap-1.5 text-sm empty:hidden">
        {data.candidates.map((build) => (
          <li key={build.id} className="flex flex-wrap items-center gap-2">
            <BuildLine projectId={projectId} build={build} />
            {!locked && isPassed(build) && <Button onClick={() => pickListed(build)}>Select</Button>}
          </li>
        ))}
      </ul>
      {!locked && (
        <Form action="Link build" submit={() => pick(typed.trim())} done="Build linked" disabled={!/^\d+$/.test(typed.trim())}>
          <TextField
            label="Build run ID"
            hint="The number at the end of the build page’s URL. The build must have passed."
            inputMode="numeric"
            value={typed}
            onChange={setTyped}
          />
        </Form>
      )}
    </Section>
  )
}

const isPassed = ({ status }: Candidate) => status === 'completed' || status === 'passed_pending_approval'
