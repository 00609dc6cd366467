import { useParams } from '@tanstack/react-router'
import type { AccountSummary, Me, ProjectSummary } from '../contract/app/shapes.ts'
import { useApi, useNeeded } from './queries.ts'

/** Who is signed in; below the layout there is always somebody. */
export const useMe = (): Me => useNeeded('showMe', {})

/** The project in the address, if one is and may be seen. */
export function useProject(): ProjectSummary | undefined {
  const { projectId } = useParams({ strict: false })
  return useMe().projects.find(({ id }) => String(id) === projectId)
}

/** The project's account, or the one somebody calls their own. */
export function useAccount(): AccountSummary | undefined {
  const { accounts, user } = useMe()
  const project = useProject()
  const id = project?.account_id ?? user.default_account_id
  return accounts.find((account) => account.id === id) ?? accounts[0]
}

/** Display names by user id. */
export function useNames(): (userId: number | null | undefined) => string {
  const { data } = useApi('listPeople', {}, { stale: 300_000 })
  return (id) => (id == null ? 'Nobody' : (data?.people.find(({ user_id }) => user_id === id)?.name ?? `User ${id}`))
}

/** `user:7`, `agent:triage-bot`, an author or `system`, as people read it. */
export function useActor(): (actor: string) => string {
  const nameOf = useNames()
  return (actor) => {
    if (actor.startsWith('user:')) return nameOf(Number(actor.slice(5)))
    if (actor.startsWith('agent:')) return actor.slice(6)
    return actor === 'system' ? 'Goldmaster' : actor
  }
}
