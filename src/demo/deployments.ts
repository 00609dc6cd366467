import type { DeploymentStatus, Platform } from '../contract/sets.ts'
import type { Build } from './builds.ts'
import { DAY, HOUR, iso, MINUTE } from './calendar.ts'
import type { Game, Release } from './game.ts'
import type { Random } from './random.ts'

/** Hours from upload to release if nothing goes wrong. */
const REVIEW_HOURS: Partial<Record<Platform, number>> = {
  apple_app_store: 27,
  google_play: 7,
  epic_games_store: 20,
  reddit_devvit: 5,
}

/** The progress of each state: submitted, uploaded, live. */
const REACHED: Record<DeploymentStatus, number> = {
  pending: 0,
  submitted: 1,
  uploading: 1,
  in_review: 2,
  approved: 2,
  rejected: 2,
  live: 3,
  rolled_back: 3,
}

export function deploymentsOf(game: Game, builds: readonly Build[], now: number, random: Random) {
  const releaseTimes = game.releases.map(({ age }) => releaseTime(age, now, random))
  return game.releases.map((release, i) => {
    const created = releaseTimes[i]!
    const promoted = game.releases
      .slice(0, i)
      .findIndex(({ platform, version, track }) => track && platform === release.platform && version === release.version)
    const build =
      promoted < 0 ? shippable(builds, release, created) : shippable(builds, game.releases[promoted]!, releaseTimes[promoted]!)
    const steps = stepsOf(release, created, now)
    return {
      key: `${game.key}-deployment-${i + 1}`,
      project: game.key,
      integration: `${game.key}-deployment`,
      platform: release.platform,
      ...(release.track && { track: release.track }),
      status: release.status,
      branch: release.branch,
      version: release.version,
      external_id: game.storeIds[release.platform] ?? '',
      external_build_id: REACHED[release.status] > 1 ? String(random.whole(14_000_000, 18_999_999)) : '',
      ...(build ? { build_run: build.key } : {}),
      ...steps.at,
      created_at: iso(created),
      updated_at: iso(steps.last),
    }
  })
}
export type Deployment = ReturnType<typeof deploymentsOf>[number]

/** The newest good build of the job by then. */
const shippable = (builds: readonly Build[], { job }: Release, by: number) =>
  builds.findLast((build) => build.ci_job_name === job && build.status === 'completed' && Date.parse(build.finished_at!) <= by)

/** In office hours, except for current events. */
function releaseTime(age: number, now: number, random: Random): number {
  const time = now - age * DAY
  return age < 1 ? time : Math.floor(time / DAY) * DAY + random.between(9, 16) * HOUR
}

function stepsOf({ platform, status }: Release, created: number, now: number) {
  const review = (REVIEW_HOURS[platform] ?? 1) * HOUR
  const usual = [4 * MINUTE, 31 * MINUTE, 31 * MINUTE + review]
  // Recent deployments went through their steps faster.
  const hurry = Math.min(1, (now - created) / usual[2]!)
  const [submitted, deployed, reviewed] = usual.map((pause) => created + pause * hurry) as [number, number, number]
  const reached = REACHED[status]
  const last = [created, submitted, status === 'in_review' ? deployed : reviewed, reviewed][reached]!
  return {
    at: {
      ...(reached > 0 ? { submitted_at: iso(submitted) } : {}),
      ...(reached > 1 ? { deployed_at: iso(deployed) } : {}),
      ...(reached > 2 ? { live_at: iso(reviewed) } : {}),
    },
    last: status === 'rolled_back' ? last + Math.min(19 * HOUR, (now - last) / 2) : last,
  }
}
