import type { BreakageDetail } from '../../../contract/health-shapes.ts'
import { useFocusKept } from '../../focus.ts'
import { useWrite } from '../../queries.ts'
import { useAssignees, useMe, useNames } from '../../session.ts'
import { Button, buttonClass } from '../../ui/form/button.tsx'
import { Filter } from '../../ui/form/field.tsx'
import { Icon } from '../../ui/icon.tsx'
import { itemClass, Menu } from '../../ui/menu.tsx'
import { useReport } from '../../ui/toast.tsx'
import { MUTES, useBreakageEdit } from './breakage-edits.ts'

/** The actions on a breakage. A button disappears after its action, so the focus stays within the group. */
export const BreakageActions = ({ breakage }: { breakage: BreakageDetail }) =>
  // A withdrawn breakage has no actions.
  breakage.state !== 'withdrawn' && <Actions breakage={breakage} />

function Actions({ breakage }: { breakage: BreakageDetail }) {
  const { state, owner_user_id, task_id } = breakage
  const { put, claim, mute } = useBreakageEdit(breakage)
  const { user } = useMe()
  const ref = useFocusKept<HTMLDivElement>(`${state} ${owner_user_id} ${task_id}`)
  const isMine = owner_user_id === user.id
  return (
    <div ref={ref} tabIndex={-1} className="flex flex-wrap items-center gap-2 outline-none">
      {state === 'fixed' ? (
        <Button onClick={() => put({ state: 'open' }, 'Reopened')}>Reopen</Button>
      ) : (
        <>
          {!isMine && (
            <Button look="main" onClick={claim}>
              Claim
            </Button>
          )}
          {state === 'claimed' && <Button onClick={() => put({ state: 'open' }, 'Released')}>Release</Button>}
          <Assign
            projectId={breakage.project_id}
            owner={owner_user_id}
            onAssign={(userId, name) => put({ state: 'claimed', owner_user_id: userId }, `Assigned to ${name}`)}
          />
          {state === 'muted' ? (
            <Button onClick={() => put({ state: owner_user_id === null ? 'open' : 'claimed' }, 'Unmuted')}>Unmute</Button>
          ) : (
            <Mute onMute={mute} />
          )}
          <Button onClick={() => put({ state: 'fixed' }, 'Resolved')}>Resolve</Button>
        </>
      )}
      {task_id === null && <MakeTask breakage={breakage} />}
    </div>
  )
}

const Mute = ({ onMute }: { onMute(span: number | null): void }) => (
  <Menu
    name="Mute for"
    className={buttonClass()}
    label={
      <>
        Mute <Icon name="down" className="text-faint" />
      </>
    }
  >
    {MUTES.map(([label, span]) => (
      <button key={label} type="button" className={itemClass} onClick={() => onMute(span)}>
        {label}
      </button>
    ))}
  </Menu>
)

interface AssignProps {
  projectId: string
  owner: number | null
  onAssign(userId: number, name: string): void
}

function Assign({ projectId, owner, onAssign }: AssignProps) {
  const { data } = useAssignees(projectId)
  const nameOf = useNames()
  const others = (data?.people ?? []).filter(({ user_id }) => user_id !== owner)
  return (
    <Filter
      label="Assign to"
      options={[['', 'Assign to…'], ...others.map(({ user_id, name }) => [String(user_id), name] as const)]}
      value=""
      onChange={(value) => onAssign(Number(value), nameOf(Number(value)))}
    />
  )
}

function MakeTask({ breakage: { id, project_id } }: { breakage: BreakageDetail }) {
  const create = useWrite('createBreakageTask', [
    'showBreakage',
    'listBreakages',
    'listBreakageHistory',
    'listTasks',
    'countTasks',
    'showOverview',
  ])
  const report = useReport()
  return (
    <Button
      busy={create.isPending}
      onClick={() =>
        void report(create.mutateAsync({ project_id, id }), (task) => `Task #${task.id} created`, 'Couldn’t create the task: ')
      }
    >
      Create task
    </Button>
  )
}
