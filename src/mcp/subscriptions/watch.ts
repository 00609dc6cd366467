import { invalidParameter, streamEnded } from '../../contract/errors.ts'
import type { Offer } from '../catalog.ts'
import { projectOf } from '../resources.ts'

/** The maximum number of resources of a subscription, so that nobody follows everything. */
const URIS_MAX = 100
const PROJECTS_MAX = 10
/** Updates of one resource within this time are one message, and a slow reader gets at most one per resource. */
const EVERY_MS = 250

export interface Followed {
  /** The page of an updated record; undefined if something may have been missed. */
  event(page: string | undefined): void
  /** The service ended it: it is stopping, or the token lost access. */
  ended(): void
}

/** Follows the events of a project once it resolves, until it is stopped. */
export type Follow = (projectId: string, followed: Followed) => Promise<() => void>

interface Watcher {
  offer: Offer
  follow: Follow
  /** A reader that has not read earlier messages gets nothing more. */
  congested(): boolean
  updated(uri: string): void
  ended(): void
}

/** Reports when one of the resources changes, until stopped. The event stream checks whether the token still has access. */
export async function watch(
  named: readonly string[],
  { offer, follow, congested, updated, ended }: Watcher,
): Promise<() => void> {
  const projects = byProject(named, offer)
  const changed = new Set<string>()
  const timer = setInterval(() => {
    if (changed.size === 0 || congested()) return
    for (const uri of changed) updated(uri)
    changed.clear()
  }, EVERY_MS)
  const stops = [() => clearInterval(timer)]
  let over = false
  const stop = () => {
    over = true
    for (const each of stops.splice(0)) each()
  }
  const follower = (project_id: string, uris: ReadonlySet<string>): Followed => ({
    event(page) {
      const touched = page === undefined ? uris : [`goldmaster:/${page}`, `goldmaster://projects/${project_id}`]
      for (const uri of touched) if (uris.has(uri)) changed.add(uri)
    },
    ended() {
      if (over) return
      stop()
      ended()
    },
  })
  try {
    for (const [project_id, uris] of projects) stops.push(await follow(project_id, follower(project_id, uris)))
  } catch (error) {
    stop()
    throw error
  }
  // It may have ended while others were still starting.
  if (!over) return stop
  stop()
  throw streamEnded()
}

function byProject(named: readonly string[], offer: Offer): Map<string, Set<string>> {
  if (named.length > URIS_MAX) throw invalidParameter('resourceSubscriptions', `may name at most ${URIS_MAX} resources`)
  const projects = new Map<string, Set<string>>()
  for (const uri of named) {
    const project = projectOf(uri, offer)
    projects.set(project, (projects.get(project) ?? new Set()).add(uri))
  }
  if (projects.size > PROJECTS_MAX)
    throw invalidParameter('resourceSubscriptions', `may name resources of at most ${PROJECTS_MAX} projects`)
  return projects
}
