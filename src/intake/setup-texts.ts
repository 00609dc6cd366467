import type { ProviderName } from '../contract/sets.ts'
import { asana } from './providers/asana/setup.ts'
import { buildkite } from './providers/buildkite/setup.ts'
import { deployment } from './providers/deployment/setup.ts'
import { diversion } from './providers/diversion/setup.ts'
import { gameEngine } from './providers/game-engine/setup.ts'
import { github } from './providers/github/setup.ts'
import { jenkins } from './providers/jenkins/setup.ts'
import { jira } from './providers/jira/setup.ts'
import { linear } from './providers/linear/setup.ts'
import { lore } from './providers/lore/setup.ts'
import { monday } from './providers/monday/setup.ts'
import { perforce } from './providers/perforce/setup.ts'
import { trello } from './providers/trello/setup.ts'
import type { Setup } from './setup.ts'

/** How each tool is connected. */
export const setups: Record<ProviderName, Setup> = {
  perforce,
  jenkins,
  buildkite,
  game_engine: gameEngine,
  deployment,
  github,
  jira,
  linear,
  trello,
  monday,
  asana,
  diversion,
  lore,
}
