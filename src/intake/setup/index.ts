import type { ProviderName } from '../../contract/sets.ts'
import { asana } from './asana.ts'
import { buildkite } from './buildkite.ts'
import { deployment } from './deployment.ts'
import { diversion } from './diversion.ts'
import { gameEngine } from './game-engine.ts'
import { github } from './github.ts'
import { jenkins } from './jenkins.ts'
import { jira } from './jira.ts'
import { linear } from './linear.ts'
import { lore } from './lore.ts'
import { monday } from './monday.ts'
import { perforce } from './perforce.ts'
import type { Setup } from './setup.ts'
import { trello } from './trello.ts'

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
