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
    <Section title="Delete project">
      <p className="max-w-prose text-sm text-soft">
        Deletes the project with its changes, builds, logs, assets, tasks and integrations. To keep them, archive the project
        instead.
      </p>
      <DeleteDialog action="Delete project" title={`Delete ${project.name}?`} label="Project name" name={project.name} run={run}>
        <p>The project disappears at once, deliveries from its tools are refused, and its data is deleted in the background.</p>
        <p>This can’t be undone. If you may need the data, export the project first: the file is kept for a day.</p>
      </DeleteDialog>
    </Section>
  )
}
