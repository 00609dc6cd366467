import { useNavigate } from '@tanstack/react-router'
import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'
import { Section } from '../../ui/page.tsx'
import { useToast } from '../../ui/toast.tsx'
import { DeleteDialog } from './delete-dialog.tsx'

export function DeleteProject({ project }: { project: AppReply<'showProjectSettings'> }) {
  const remove = useWrite('deleteProject', ['showMe'])
  const navigate = useNavigate()
  const say = useToast()
  const run = async (name: string) => {
    await remove.mutateAsync({ account_id: project.account_id, id: project.id, body: { name } })
    say(`${project.name} is being deleted`)
    await navigate({ to: '/feed' })
  }
  return (
    <Section title="Delete the project">
      <p className="max-w-prose text-sm text-soft">
        With its changes, builds, logs, assets, tasks and tools. Archiving keeps all of it.
      </p>
      <DeleteDialog
        action="Delete the project"
        title={`Delete ${project.name}?`}
        label="Name of the project"
        name={project.name}
        run={run}
      >
        <p>Nobody sees it from this moment on, its tools are refused, and what it has is deleted in the background.</p>
        <p>Nothing brings it back. Export it above first, if you may want it again: the file stays for a day.</p>
      </DeleteDialog>
    </Section>
  )
}
