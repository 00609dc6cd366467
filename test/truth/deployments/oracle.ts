import { EVENTS, type Report, TRACKS } from './world.ts'

/** What is true of deployments: their state is that of their newest fact by the store's time, and one of each track is live. */

export interface ExpectedDeployment {
  track: string
  build: number
  status: string
  /** The newest on its track that went live and was not taken back. */
  current: boolean
  /** The build that went live on its track next, of those that were not taken back. */
  replacedBy: number | null
}

const STATUS = new Map([
  ['submitted', 'submitted'],
  ['review_started', 'in_review'],
  ['approved', 'approved'],
  ['released', 'live'],
  ['rolled_back', 'rolled_back'],
])

export function expectedDeployments(reports: readonly Report[]): ExpectedDeployment[] {
  const newestOf = (own: readonly Report[]) => own.reduce((newest, one) => (one.ago < newest.ago ? one : newest))
  return TRACKS.flatMap((track) => {
    const onTrack = reports.filter((one) => one.track === track)
    const uploads = [...new Set(onTrack.map(({ build }) => build))].map((build) => {
      const own = onTrack.filter((one) => one.build === build)
      const released = own.find(({ event }) => event === EVENTS[3])
      return { build, status: STATUS.get(newestOf(own).event)!, liveAgo: released?.ago ?? null }
    })
    const live = uploads
      .filter(({ status, liveAgo }) => liveAgo !== null && status === 'live')
      .toSorted((a, b) => a.liveAgo! - b.liveAgo!)
    return uploads.map(({ build, status, liveAgo }) => ({
      track,
      build,
      status,
      current: live[0]?.build === build,
      replacedBy: liveAgo === null || status !== 'live' ? null : (live.findLast((one) => one.liveAgo! < liveAgo)?.build ?? null),
    }))
  })
}
