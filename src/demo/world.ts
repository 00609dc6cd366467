import { accountsOf, SHOWCASE } from './accounts.ts'
import { assetsOf } from './assets.ts'
import { numbersOf } from './build-numbers.ts'
import { buildsOf, runsOf } from './builds.ts'
import { changesOf } from './changes.ts'
import { cinderCoast } from './cinder-coast/game.ts'
import { commentsOf } from './comments.ts'
import { deploymentsOf } from './deployments.ts'
import { extrasOf } from './extra-builds.ts'
import type { Game } from './game.ts'
import { historyOf } from './history.ts'
import { levelPartsOf } from './level-parts.ts'
import { marblePost } from './marble-post/game.ts'
import { withMerges } from './merges.ts'
import { orchardParade } from './orchard-parade/game.ts'
import { Random } from './random.ts'
import { tasksOf } from './tasks.ts'
import { testResultsOf } from './tests.ts'

/** The first of them is the one a visitor sees first. */
export const GAMES: readonly Game[] = [
  cinderCoast,
  orchardParade,
  marblePost,
  { ...cinderCoast, key: 'cinder-coast-showcase', account: SHOWCASE, name: 'Cinder Coast (look, do not touch)' },
]

/** A studio with a history of six weeks, as a world file. The same moment gives the same studio. */
export function demoWorld(now: Date) {
  const stories = GAMES.map((game) => storyOf(game, now.getTime()))
  return {
    ...accountsOf(GAMES, now.getTime()),
    changes: stories.flatMap((story) => story.changes),
    build_runs: stories.flatMap((story) => [...story.builds, ...story.extras]),
    test_results: stories.flatMap((story) => story.tests),
    assets: stories.flatMap((story) => story.assets),
    deployments: stories.flatMap((story) => story.deployments),
    tasks: stories.flatMap((story) => story.tasks),
    comments: stories.flatMap((story) => story.comments),
  }
}

function storyOf(game: Game, now: number) {
  // Seeded by what the showcase shares with its original, so that both have the same story.
  const random = new Random(game.engine)
  const moments = withMerges(game, historyOf(game, now, random), now)
  const changes = changesOf(game, moments, random)
  // A merge creates no new version of an asset.
  const authored = changes.filter((_, i) => !moments[i]!.merges)
  const assets = assetsOf(game, authored, now, random)
  const runs = runsOf(game, moments, changes, now, random)
  const planned = extrasOf(game, changes, now)
  const numbers = numbersOf(game, [...runs, ...planned])
  const builds = buildsOf(game, runs, numbers, unreleased(assets), now, random)
  const deployments = deploymentsOf(game, builds, now, random)
  const tasks = tasksOf(game, { moments, changes, builds, deployments }, now, random)
  const extras = planned.map((extra) => extra.build(numbers.get(extra)!))
  const tests = testResultsOf(game, [...builds, ...extras], now)
  const comments = commentsOf(game, { assets, tasks }, now)
  const parts = levelPartsOf(game, authored, assets)
  return { changes, assets: [...assets, ...parts], builds, extras, tests, deployments, tasks, comments }
}

/** Changes with a pending or denied asset: their builds wait too. */
const unreleased = (assets: ReturnType<typeof assetsOf>): ReadonlySet<string> =>
  new Set(
    assets.flatMap(({ approvals }) =>
      approvals.filter(({ status }) => status === 'pending' || status === 'denied').map(({ commit_sha }) => commit_sha),
    ),
  )
