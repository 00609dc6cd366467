import type { AppReply } from '../../../contract/app/routes.ts'
import { wordsOf } from '../../api.ts'
import { useWrite } from '../../queries.ts'
import { useAccount } from '../../session.ts'
import { Select } from '../../ui/form/field.tsx'
import { Section } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'

interface Props {
  settings: AppReply<'showProjectSettings'>
  locked: boolean
}

/** Whether failed builds are investigated automatically. Saved on change. */
export function InvestigationSettings({ settings: { id, investigates_failures }, locked }: Props) {
  const isCounted = useAccount()?.credits != null
  const edit = useWrite('editProject', ['showProjectSettings'])
  const say = useToast()
  const choose = (value: string) =>
    edit.mutate(
      { project_id: id, body: { investigates_failures: value === '' ? null : value === 'true' } },
      { onSuccess: () => say('Saved'), onError: (error) => say(`Not saved: ${wordsOf(error)}`, 'err') },
    )
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
        onChange={choose}
      />
    </Section>
  )
}
