import type { AppReply } from '../../../contract/app/routes.ts'
import { useWrite } from '../../queries.ts'

/** Revokes a token of a tool: an integration gets a new one. */
export function useRevokeMade() {
  const revoke = useWrite('revokeUgsToken', ['listMadeTokens', 'listUgsTokens'])
  const rotate = useWrite('rotateIntegrationToken', ['listMadeTokens', 'showIntegration'])
  return ({ kind, id, project_id }: AppReply<'listMadeTokens'>['tokens'][number]): Promise<unknown> =>
    (kind === 'ugs_token' ? revoke : rotate).mutateAsync({ project_id, id })
}
