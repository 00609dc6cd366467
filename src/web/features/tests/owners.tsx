import type { AppReply } from '../../../contract/app/routes.ts'
import { useNames } from '../../session.ts'

/** The owners of a test by the rules of its project: members by name, others as the rules spell them. */
export function Owners({ owners }: { owners: AppReply<'showTest'>['owners'] }) {
  const names = useNames()
  return <>{owners.map(({ user_id, text }) => text ?? names(user_id)).join(', ')}</>
}
