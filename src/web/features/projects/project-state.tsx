import type { AppReply } from '../../../contract/app/routes.ts'
import { labelOf, lowered, TERMS } from '../../../contract/labels.ts'
import type { ProjectStatus } from '../../../contract/sets.ts'
import { wordsOf } from '../../api.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Status } from '../../ui/pill.tsx'
import { useToast } from '../../ui/toast.tsx'

/** Pausing, archiving, and back again. */
export function ProjectState({ settings, locked }: { settings: AppReply<'showProjectSettings'>; locked: boolean }) {
  const { id, name, status } = settings
  const edit = useWrite('editProject', ['showProjectSettings', 'showMe'])
  const say = useToast()
  const set = async (next: ProjectStatus) => {
    await edit.mutateAsync({ project_id: id, body: { status: next } })
    say(`${name} is now ${lowered(labelOf('project_status', next))}`)
  }
  return (
    <Section title="Status" actions={<Status of="project_status" value={status} />}>
      <p className="text-sm text-soft">{TERMS.project_status[status].description}</p>
      {edit.error && <Notice kind="err">{wordsOf(edit.error)}</Notice>}
      <div className="flex flex-wrap gap-2">
        {status !== 'active' && (
          <Button look="main" disabled={locked} busy={edit.isPending} onClick={() => void set('active').catch(() => {})}>
            Make active
          </Button>
        )}
        {status === 'active' && (
          <Confirm
            label="Pause"
            title={`Pause ${name}?`}
            action="Pause it"
            look="plain"
            disabled={locked}
            run={() => set('paused')}
          >
            Deliveries from tools are refused while the project is paused. Many tools don’t send them again.
          </Confirm>
        )}
        {status !== 'archived' && (
          <Confirm label="Archive" title={`Archive ${name}?`} action="Archive it" disabled={locked} run={() => set('archived')}>
            Deliveries from tools are refused. Nothing is deleted, and you can make the project active again here.
          </Confirm>
        )}
      </div>
    </Section>
  )
}
