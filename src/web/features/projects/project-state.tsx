import type { AppReply } from '../../../contract/app/routes.ts'
import type { ProjectStatus } from '../../../contract/sets.ts'
import { wordsOf } from '../../api.ts'
import { useWrite } from '../../queries.ts'
import { Button } from '../../ui/form/button.tsx'
import { Confirm } from '../../ui/form/confirm.tsx'
import { Notice } from '../../ui/notice.tsx'
import { Section } from '../../ui/page.tsx'
import { Status } from '../../ui/pill.tsx'
import { useToast } from '../../ui/toast.tsx'

const WORDS: Record<ProjectStatus, string> = {
  active: 'The project takes in what its tools tell.',
  paused: 'Paused: webhooks are refused with 403 until it goes on. Everything stays readable.',
  archived: 'Archived: webhooks are refused with 403. Everything stays readable, and it can be brought back.',
}

/** Pausing, archiving, and back again. */
export function ProjectState({ settings, locked }: { settings: AppReply<'showProjectSettings'>; locked: boolean }) {
  const { id, name, status } = settings
  const edit = useWrite('editProject', ['showProjectSettings', 'showMe'])
  const say = useToast()
  const set = async (next: ProjectStatus) => {
    await edit.mutateAsync({ project_id: id, body: { status: next } })
    say(next === 'active' ? `${name} goes on` : `${name} is ${next}`)
  }
  return (
    <Section title="State" actions={<Status value={status} />}>
      <p className="text-sm text-soft">{WORDS[status]}</p>
      {edit.error && <Notice kind="err">{wordsOf(edit.error)}</Notice>}
      <div className="flex flex-wrap gap-2">
        {status !== 'active' && (
          <Button look="main" disabled={locked} busy={edit.isPending} onClick={() => void set('active').catch(() => {})}>
            Make it active
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
            What tools send meanwhile is refused. Many of them do not send it again by themselves.
          </Confirm>
        )}
        {status !== 'archived' && (
          <Confirm label="Archive" title={`Archive ${name}?`} action="Archive it" disabled={locked} run={() => set('archived')}>
            It no longer counts as active and its tools are refused. Nothing is deleted; you can bring it back here.
          </Confirm>
        )}
      </div>
    </Section>
  )
}
