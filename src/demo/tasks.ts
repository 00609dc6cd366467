import type { Build } from './builds.ts'
import { DAY, HOUR, iso, MINUTE, WEEKS } from './calendar.ts'
import type { Change } from './changes.ts'
import type { Deployment } from './deployments.ts'
import type { Game, TaskIdea } from './game.ts'
import type { Moment } from './history.ts'
import { AGENTS, type Handle, isPerson, type PersonKey } from './people.ts'
import type { Random } from './random.ts'
import { table, words } from './table.ts'

const MOST_LINKS = 4

/** `type | priority | state | who | labels | about | title | description`. */
export const readTasks = (text: string): TaskIdea[] =>
  table(text).map(([type, priority, state, who, labels, about, title, description]) => ({
    type: type!,
    priority: priority!,
    state: state!,
    who: (who || undefined) as PersonKey | Handle | undefined,
    labels: words(labels),
    about: about!,
    title: title!,
    description: description ?? '',
  }))

interface Records {
  moments: readonly Moment[]
  changes: readonly Change[]
  builds: readonly Build[]
  deployments: readonly Deployment[]
}

export const tasksOf = (game: Game, records: Records, now: number, random: Random) =>
  game.tasks.map((idea, i) => {
    const linked = idea.about === '' ? [] : changesAbout(idea.about, records)
    const incident = game.incidents.some(({ key }) => key === idea.about)
    const times = timesOf(idea, incident, i / game.tasks.length, linked, now, random)
    return {
      key: `${game.key}-task-${i + 1}`,
      project: game.key,
      title: idea.title,
      description: idea.description,
      state: idea.state,
      task_type: idea.type,
      priority: idea.priority,
      ...(idea.who === undefined ? {} : isPerson(idea.who) ? { user: idea.who } : { assignee_handle: idea.who }),
      labels: idea.labels,
      metadata: isAgent(idea.who) ? { client: { name: 'goldmaster-mcp', version: '0.1.0' } } : {},
      links: linksOf(linked, records),
      ...times,
    }
  })

const isAgent = (who: string | undefined) => AGENTS.some((handle) => handle === who)

function changesAbout(about: string, { moments, changes }: Records): Change[] {
  const ofIncident = changes.filter((_, i) => moments[i]!.broken?.key === about || moments[i]!.mends?.key === about)
  const named = changes.filter((change) => !change.orphaned_at && change.description.includes(about))
  return (ofIncident.length > 0 ? ofIncident : named).slice(0, MOST_LINKS)
}

/** A build belongs to the task of its change, a deployment to that of its build. */
function linksOf(changes: readonly Change[], { builds, deployments }: Records) {
  const identifiers = new Set(changes.map(({ identifier }) => identifier))
  const linkedBuilds = builds.filter((build) => identifiers.has(build.changelist || build.commit_hash))
  const keys = new Set(linkedBuilds.map(({ key }) => key))
  return {
    changes: changes.map(({ key }) => key),
    build_runs: [...keys],
    deployments: deployments.filter(({ build_run }) => build_run !== undefined && keys.has(build_run)).map(({ key }) => key),
  }
}

/** A task about a breakage is created after it, planned work before it starts; the rest in the order of the list. */
function timesOf({ state }: TaskIdea, incident: boolean, place: number, linked: readonly Change[], now: number, random: Random) {
  const [first, last] = [linked[0], linked.at(-1)].map((change) => change && Date.parse(change.timestamp))
  const planned = now - (1 - place) * WEEKS * 7 * DAY - random.between(1, 9) * HOUR
  const created =
    first === undefined ? planned : first + (incident ? random.between(12, 21) * MINUTE : -random.between(1, 30) * HOUR)
  const worked = Math.max(created, last ?? created)
  const pause = Math.min(random.between(0.3, incident ? 2 : 70) * HOUR, (now - worked) * random.between(0.3, 0.8))
  return { created_at: iso(created), updated_at: iso(state === 'to_do' ? created : worked + pause) }
}
