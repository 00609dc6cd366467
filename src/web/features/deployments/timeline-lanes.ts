import type { AppReply } from '../../../contract/app/routes.ts'

type Deployment = AppReply<'showReleaseTimeline'>['deployments'][number]

/** A bar in a lane: its start and, if it was live, its end, as fractions of the period. */
export interface Mark {
  deployment: Deployment
  from: number
  /** Null if it never was live. */
  to: number | null
}

interface Lane {
  project_id: number
  project_name: string
  store: Deployment['store']
  track: Deployment['track']
  marks: Mark[]
}

/** A lane for every project and track of a store, lanes of one project next to each other. A deployment is live until the next one of its lane is. */
export function lanesOf(deployments: readonly Deployment[], [begin, end]: readonly [number, number]): Lane[] {
  const lanes = new Map<string, Deployment[]>()
  for (const deployment of deployments) {
    const key = JSON.stringify([deployment.project_id, deployment.store, deployment.track])
    lanes.set(key, [...(lanes.get(key) ?? []), deployment])
  }
  const place = (time: number) => Math.min(1, Math.max(0, (time - begin) / (end - begin)))
  return [...lanes.values()]
    .map((found) => {
      const lives = found.flatMap(({ live_at }) => (live_at === null ? [] : [Date.parse(live_at)])).sort((a, b) => a - b)
      const marks = found
        .map((deployment): Mark => {
          const live = deployment.live_at === null ? null : Date.parse(deployment.live_at)
          const ended = lives.find((other) => live !== null && other > live) ?? end
          const isBack = deployment.status === 'rolled_back'
          return {
            deployment,
            from: place(live ?? Date.parse(deployment.created_at)),
            to: live === null || isBack ? null : place(ended),
          }
        })
        .sort((a, b) => a.from - b.from)
      const { project_id, project_name, store, track } = found[0]!
      return { project_id, project_name, store, track, marks }
    })
    .sort((a, b) => (sortKey(a) < sortKey(b) ? -1 : 1))
}

const sortKey = ({ project_name, store, track }: Lane) => [project_name, store ?? '', track ?? ''].join('\n')
