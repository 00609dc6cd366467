import type { CiAction } from '../../../contract/sets.ts'
import { useWrite } from '../../queries.ts'
import { useLocked } from '../../session.ts'
import { Confirm } from '../../ui/form/confirm.tsx'
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
  actions: readonly CiAction[]
}

/** Buttons for what the CI of a build can be asked for now. */
export function CiRequests({ projectId, buildId, actions }: Props) {
  const locked = useLocked()
  const ask = useWrite('actOnBuild', [])
  const say = useToast()
  if (locked !== undefined) return null
  return actions.map((action) => (
    <Confirm
      key={action}
      label={WORDS[action].label}
      title={WORDS[action].title}
      action={WORDS[action].label}
      look={action === 'stop' ? 'danger' : 'quiet'}
      run={async () => say((await ask.mutateAsync({ project_id: projectId, build_run_id: buildId, body: { action } })).message)}
    >
      {WORDS[action].says}
    </Confirm>
  ))
}
