import { useState } from 'react'
import type { BuildContext } from '../../../contract/app/builds.ts'
import type { CiAction } from '../../../contract/sets.ts'
import { useWrite } from '../../queries.ts'
import { useLocked } from '../../session.ts'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Select, TextField } from '../../ui/form/field.tsx'
import { useToast } from '../../ui/toast.tsx'

const WORDS: Record<CiAction, { label: string; title: string; says: string }> = {
  retry: {
    label: 'Retry',
    title: 'Run this build again?',
    says: 'The CI runs it again with the parameters of this build. A job that has no parameter for its revision may build the newest one instead. The result appears here as soon as the CI reports it.',
  },
  stop: {
    label: 'Stop',
    title: 'Stop this build?',
    says: 'The CI ends it. Somebody else may be waiting for its result.',
  },
  start: {
    label: 'Build newest',
    title: 'Build the newest state of this branch?',
    says: 'The CI runs this job on the newest state of the branch. The build appears here as soon as the CI reports it.',
  },
}

interface Props {
  projectId: string
  buildId: string
  context: Pick<BuildContext, 'ci_actions' | 'ci_parameters'>
}

/** Buttons for what the CI of a build can be asked for now. */
export function CiRequests({ projectId, buildId, context: { ci_actions, ci_parameters } }: Props) {
  const locked = useLocked()
  const ask = useWrite('actOnBuild', ['listBuildHistory'])
  const say = useToast()
  const [chosen, setChosen] = useState<Record<string, string>>({})
  if (locked !== undefined) return null
  const parameters = ci_parameters.flatMap(({ name }) => (chosen[name] ? [`${name}=${chosen[name]}`] : []))
  const bodyOf = (action: CiAction) => (action === 'start' && parameters.length > 0 ? { action, parameters } : { action })
  return ci_actions.map((action) => (
    <Confirm
      key={action}
      label={WORDS[action].label}
      title={WORDS[action].title}
      action={WORDS[action].label}
      look={action === 'stop' ? 'danger' : 'quiet'}
      run={async () =>
        say((await ask.mutateAsync({ project_id: projectId, build_run_id: buildId, body: bodyOf(action) })).message)
      }
    >
      {WORDS[action].says}
      {action === 'start' && ci_parameters.length > 0 && (
        <div className="mt-4 grid gap-3">
          {ci_parameters.map(({ name, values }) => {
            const field = {
              label: name,
              value: chosen[name] ?? '',
              onChange: (value: string) => setChosen((others) => ({ ...others, [name]: value })),
            }
            return values.length > 0 ? (
              <Select key={name} {...field} options={[['', 'Default of the job'], ...values.map((one) => [one, one] as const)]} />
            ) : (
              <TextField key={name} {...field} placeholder="Default of the job" />
            )
          })}
        </div>
      )}
    </Confirm>
  ))
}
