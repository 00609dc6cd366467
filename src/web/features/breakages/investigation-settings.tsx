import type { AppBody, AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { useAccount } from '../../session.ts'
import { Select } from '../../ui/form/field.tsx'
import { Section } from '../../ui/page.tsx'
import { useReport } from '../../ui/toast.tsx'

interface Props {
  settings: AppReply<'showProjectSettings'>
  locked: boolean
}

const BUDGETS = [0, 5, 10, 20, 50, 100]

/** Whether failed builds are investigated automatically, and whether builds may search for causes. Saved on change. */
export function InvestigationSettings({ settings: { id, investigates_failures, bisect_builds_per_day }, locked }: Props) {
  const isCounted = useAccount()?.credits != null
  const edit = useWrite('editProject', ['showProjectSettings'])
  const report = useReport()
  const save = (body: AppBody<'editProject'>) => void report(edit.mutateAsync({ project_id: id, body }), 'Saved', 'Not saved: ')
  const budgets = [...new Set([...BUDGETS, bisect_builds_per_day])].sort((a, b) => a - b)
  return (
    <Section title="Investigations">
      <Select
        label="Investigate failed builds automatically"
        hint="Causes appear under Breakages. Automatic investigations don’t use credits."
        options={[
          ['', isCounted ? 'Default (off, because this account counts credits)' : 'Default (on)'],
          ['true', 'On'],
          ['false', 'Off'],
        ]}
        className="max-w-md"
        disabled={locked}
        value={String((edit.isPending ? edit.variables.body?.investigates_failures : investigates_failures) ?? '')}
        onChange={(value) => save({ investigates_failures: value === '' ? null : value === 'true' })}
      />
      <Select
        label="Bisection: builds per day"
        hint="Members can let the CI build changes of a breakage’s range until the cause is found. Needs a CI integration with a server."
        options={budgets.map((count) => [String(count), count === 0 ? 'Off' : String(count)] as const)}
        className="max-w-md"
        disabled={locked}
        value={String((edit.isPending ? edit.variables.body?.bisect_builds_per_day : undefined) ?? bisect_builds_per_day)}
        onChange={(value) => save({ bisect_builds_per_day: Number(value) })}
      />
    </Section>
  )
}
