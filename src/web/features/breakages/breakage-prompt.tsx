import type { BreakageDetail } from '../../../contract/health-shapes.ts'
import { titleOf } from '../../../contract/labels/breakage-title.ts'
import { labelOf, lowered } from '../../../contract/labels.ts'
import { useFilters } from '../../filters.ts'
import { useMe } from '../../session.ts'
import { Button } from '../../ui/form/button.tsx'
import { Dialog } from '../../ui/form/dialog.tsx'
import { MUTES, useBreakageEdit } from './breakage-edits.ts'

/** A link in a chat message names an action (`?do=claim`): programs open links too, so a person has to confirm. */
export function BreakagePrompt({ breakage }: { breakage: BreakageDetail }) {
  const [{ do: action }, filter] = useFilters('do')
  const { claim, mute } = useBreakageEdit(breakage)
  const { user } = useMe()
  const { state, owner_user_id } = breakage
  const close = () => filter({ do: '' })
  const act = (run: () => void) => () => {
    run()
    close()
  }
  const claiming = action === 'claim'
  if (!claiming && action !== 'mute') return null
  const already =
    state === 'fixed' || state === 'withdrawn'
      ? `This breakage is already ${lowered(labelOf('breakage_state', state))}.`
      : claiming && owner_user_id === user.id
        ? 'You already own this breakage.'
        : !claiming && state === 'muted' && 'This breakage is already muted.'
  return (
    <Dialog title={claiming ? 'Claim this breakage?' : 'Mute this breakage?'} open onClose={close}>
      <div className="grid gap-4">
        <p className="wrap-anywhere text-sm font-medium">{titleOf(breakage)}</p>
        <p className="text-sm text-soft">
          {already ||
            (claiming
              ? 'You become its owner. Everybody who got a message about it sees that.'
              : 'No messages are sent about it while it is muted. Mute for:')}
        </p>
        <div className="flex flex-wrap gap-2">
          {!already && claiming && (
            <Button look="main" onClick={act(claim)}>
              Claim
            </Button>
          )}
          {!already &&
            !claiming &&
            MUTES.map(([label, span]) => (
              <Button key={label} onClick={act(() => mute(span))}>
                {label}
              </Button>
            ))}
          <Button look="quiet" onClick={close}>
            {already ? 'Close' : 'Cancel'}
          </Button>
        </div>
      </div>
    </Dialog>
  )
}
