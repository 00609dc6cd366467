import { accountsOf, SHOWCASE } from './accounts.ts'
import { assetsOf } from './assets.ts'
import { buildsOf } from './builds.ts'
import { changesOf } from './changes.ts'
import { cinderCoast } from './cinder-coast/game.ts'
import { deploymentsOf } from './deployments.ts'
import type { Game } from './game.ts'
import { historyOf } from './history.ts'
import { marblePost } from './marble-post/game.ts'
import { orchardParade } from './orchard-parade/game.ts'
import { Random } from './random.ts'
import { tasksOf } from './tasks.ts'

/** The first of them is the one a visitor is led to. */
export const GAMES: readonly Game[] = [
  cinderCoast,
  orchardParade,
  marblePost,
  { ...cinderCoast, key: 'cinder-coast-showcase', account: SHOWCASE, name: 'Cinder Coast (look, do not touch)' },
]

/** A studio with six weeks behind it, as a world file. The same moment gives the same studio. */
export function demoWorld(now: Date) {
  const stories = GAMES.map((game) => storyOf(game, now.getTime()))
  return {
    ...accountsOf(GAMES, now.getTime()),
    changes: stories.flatMap((story) => story.changes),
    build_runs: stories.flatMap((story) => story.builds),
    assets: stories.flatMap((story) => story.assets),
    deployments: stories.flatMap((story) => story.deployments),
    tasks: stories.flatMap((story) => story.tasks),
  }
}

function storyOf(game: Game, now: number) {
  // Seeded by what the showcase shares with its original, so that both tell the same story.
  const random = new Random(game.engine)
  const moments = historyOf(game, now, random)
  const changes = changesOf(game, moments, random)
  const assets = assetsOf(game, changes, now, random)
  const builds = buildsOf(game, moments, changes, unreleased(assets), now, random)
  const deployments = deploymentsOf(game, builds, now, random)
  const tasks = tasksOf(game, { moments, changes, builds, deployments }, now, random)
  return { changes, assets, builds, deployments, tasks }
}

/** Changes with an asset that waits or was turned down: their builds wait too. */
const unreleased = (assets: ReturnType<typeof assetsOf>): ReadonlySet<string> =>
  new Set(
    assets.flatMap(({ approvals }) =>
      approvals.filter(({ status }) => status === 'pending' || status === 'denied').map(({ commit_sha }) => commit_sha),
    ),
  )
