import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { useAssignees, useNames } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Select } from '../../ui/form/field.tsx'
import { Section } from '../../ui/page.tsx'
import { useReport } from '../../ui/toast.tsx'

type Settings = AppReply<'showProjectSettings'>
type Assignment = Settings['assignment']

/** Who gets breakages automatically. Saved on change. */
export function AssignmentSettings({ settings: { id, assignment }, locked }: { settings: Settings; locked: boolean }) {
  const { on, excluded_user_ids } = assignment
  const people = useAssignees(String(id)).data?.people ?? []
  const nameOf = useNames()
  const edit = useWrite('editProject', ['showProjectSettings'])
  const report = useReport()
  const save = (changed: Partial<Assignment>) =>
    void report(edit.mutateAsync({ project_id: id, body: { assignment: { ...assignment, ...changed } } }), 'Saved', 'Not saved: ')
  const isBusy = locked || edit.isPending
  const included = people.filter(({ user_id }) => !excluded_user_ids.includes(user_id))
  return (
    <Section title="Automatic assignment">
      <Select
        label="Assign breakages automatically"
        hint="At the second failure, to the author of the change that is clearly the first suspect; otherwise to the owner of the failing file. Never if several people come into question."
        options={[
          ['false', 'Off'],
          ['true', 'On'],
        ]}
        className="max-w-md"
        disabled={isBusy}
        value={String(on)}
        onChange={(value) => save({ on: value === 'true' })}
      />
      {on && (
        <>
          <Select
            label="Excluded people"
            hint="They are never assigned automatically."
            options={[['', 'Exclude somebody…'], ...included.map(({ user_id, name }) => [String(user_id), name] as const)]}
            className="max-w-md"
            disabled={isBusy}
            value=""
            onChange={(user) => user && save({ excluded_user_ids: [...excluded_user_ids, Number(user)] })}
          />
          {excluded_user_ids.length > 0 && (
            <ul aria-label="Excluded people" className="flex flex-wrap gap-2 text-sm">
              {excluded_user_ids.map((user) => (
                <li key={user} className="flex items-center rounded-md border border-line pl-2">
                  {nameOf(user)}
                  <Button
                    look="quiet"
                    disabled={isBusy}
                    onClick={() => save({ excluded_user_ids: excluded_user_ids.filter((one) => one !== user) })}
                  >
                    Remove <span className="sr-only">{nameOf(user)}</span>
                  </Button>
                </li>
              ))}
            </ul>
          )}
        </>
      )}
    </Section>
  )
}
