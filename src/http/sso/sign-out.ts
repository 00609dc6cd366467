import { sql } from '../../db/database.ts'
import { sealedIn } from '../../domain/privacy/secrets.ts'
import * as connections from '../../domain/sign-in/connections.ts'
import type { Service } from '../service.ts'
import { rootOf, signOutUrl } from './provider.ts'

/** The location that a provider session's token is sealed for. */
export const idTokenOf = (sessionId: number) => sealedIn('sso_sessions', sessionId, 'id_token_sealed')

/** The provider's sign-out URL for a session that it opened. An unreachable provider keeps nobody signed in here. */
export async function providerSignOut(service: Service, session: string | undefined): Promise<string | undefined> {
  const found = await service.db.one<{ session_id: number; account_id: number; sealed: string }>(sql`
    select o.session_id, o.account_id, o.id_token_sealed as sealed from sso_sessions o join sessions s on s.id = o.session_id
    where s.token = ${session ?? ''}`)
  const connection = found && (await connections.find(service.db, found.account_id))
  if (!connection) return undefined
  return signOutUrl(service, connection, service.vault.open(found.sealed, idTokenOf(found.session_id))).catch(
    (error: unknown) => {
      service.log.warn({ error: rootOf(error).message }, 'signed out here, but not at the identity provider')
      return undefined
    },
  )
}
