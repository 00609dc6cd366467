import { useParams } from '@tanstack/react-router'
import type { AccountSummary, Me, ProjectSummary } from '../contract/app/shapes.ts'
import { roleLabel } from '../contract/labels.ts'
import { type AccountRole, isAccountRole, type ProjectRole, suffices } from '../contract/sets.ts'
import { useApi, useSuspenseApi } from './queries.ts'

/** The signed-in user; below the layout there always is one. */
export const useMe = (): Me => useSuspenseApi('showMe', {})

/** The project in the URL, if the user has access to it. */
export function useProject(): ProjectSummary | undefined {
  const { projectId } = useParams({ strict: false })
  return useMe().projects.find(({ id }) => String(id) === projectId)
}

/** The project's account, or the user's default one. */
export function useAccount(): AccountSummary | undefined {
  const { accounts, user } = useMe()
  const project = useProject()
  const id = project?.account_id ?? user.default_account_id
  return accounts.find((account) => account.id === id) ?? accounts[0]
}

/** Whether the user has at least this role, in the project of the URL or in its account. */
export function useMay(role: AccountRole | ProjectRole): boolean {
  const project = useProject()
  const account = useAccount()
  const held = isAccountRole(role) ? account?.role : project?.project_role
  return suffices(held ?? null, role)
}

/** Why nothing can be changed here, as text; undefined if it can. */
export function useLocked(role: AccountRole | ProjectRole = 'contributor'): string | undefined {
  const may = useMay(role)
  if (useAccount()?.read_only) return 'This account is read-only.'
  return may ? undefined : `You need the ${roleLabel(role)} role to do this.`
}

/** Display names by user id. A guest only gets those of people on their projects. */
export function useNames(): (userId: number | null | undefined) => string {
  const { data } = useApi('listPeople', {}, { stale: 300_000 })
  const stranger = useAccount()?.role === 'guest' ? 'Somebody else' : 'Former member'
  return (id) => (id == null ? 'Nobody' : (data?.people.find(({ user_id }) => user_id === id)?.name ?? (data ? stranger : '…')))
}

/** `user:7`, `agent:triage-bot`, an author or `system`, as a readable name. */
export function useActor(): (actor: string) => string {
  const nameOf = useNames()
  return (actor) => {
    if (actor.startsWith('user:')) return nameOf(Number(actor.slice(5)))
    if (actor.startsWith('agent:')) return actor.slice(6)
    return actor === 'system' ? 'Goldmaster' : actor
  }
}

/** All possible assignees in a project. */
export const useAssignees = (projectId: string) => useApi('listAssignees', { project_id: projectId }, { stale: 300_000 })
