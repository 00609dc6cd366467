import { useState } from 'react'
import type { AppReply } from '../../../contract/app/routes.ts'
import { PATTERN_MAX } from '../../../contract/limits.ts'
import { useWrite } from '../../queries.ts'
import { useAssignees, useNames } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Select, TextField } from '../../ui/form/field.tsx'
import { Form } from '../../ui/form/form.tsx'
import { Section } from '../../ui/page.tsx'
import { useReport } from '../../ui/toast.tsx'

type Settings = AppReply<'showProjectSettings'>
type Assignment = Settings['assignment']

/** Who gets breakages automatically. Saved on change. */
export function AssignmentSettings({ settings: { id, assignment }, locked }: { settings: Settings; locked: boolean }) {
  const { on, excluded_user_ids, path_owners } = assignment
  const people = useAssignees(String(id)).data?.people ?? []
  const nameOf = useNames()
  const edit = useWrite('editProject', ['showProjectSettings'])
  const report = useReport()
  const put = (changed: Partial<Assignment>) =>
    edit.mutateAsync({ project_id: id, body: { assignment: { ...assignment, ...changed } } })
  const save = (changed: Partial<Assignment>) => void report(put(changed), 'Saved', 'Not saved: ')
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
          {path_owners.length > 0 && (
            <ul aria-label="Path owners" className="grid overflow-hidden rounded-md border border-line text-sm">
              {path_owners.map(({ path, user_id }, at) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: an owner is identified by its index only
                <li key={at} className="flex flex-wrap items-center gap-x-2 border-b border-line px-3 py-1 last:border-0">
                  <span className="wrap-anywhere min-w-48 flex-1 py-1">
                    <code>{path}</code> → {nameOf(user_id)}
                  </span>
                  <Button
                    look="quiet"
                    disabled={isBusy}
                    onClick={() => save({ path_owners: path_owners.filter((_, one) => one !== at) })}
                  >
                    Remove <span className="sr-only">{path}</span>
                  </Button>
                </li>
              ))}
            </ul>
          )}
          <NewOwner people={people} locked={isBusy} add={(owner) => put({ path_owners: [...path_owners, owner] })} />
        </>
      )}
    </Section>
  )
}

interface New {
  people: AppReply<'listAssignees'>['people']
  locked: boolean
  add(owner: Assignment['path_owners'][number]): Promise<unknown>
}

function NewOwner({ people, locked, add }: New) {
  const [path, setPath] = useState('')
  const [user, setUser] = useState('')
  const submit = async () => {
    await add({ path: path.trim(), user_id: Number(user) })
    setPath('')
  }
  return (
    <Form action="Add path owner" submit={submit} done="Saved" disabled={locked || path.trim() === '' || user === ''}>
      <TextField
        label="Files"
        hint="A pattern as in CODEOWNERS. The last matching pattern counts."
        placeholder="Content/Audio/*"
        maxLength={PATTERN_MAX}
        className="max-w-md"
        value={path}
        onChange={setPath}
      />
      <Select
        label="Owner"
        options={[['', 'Choose…'], ...people.map(({ user_id, name }) => [String(user_id), name] as const)]}
        className="max-w-md"
        value={user}
        onChange={setUser}
      />
    </Form>
  )
}
