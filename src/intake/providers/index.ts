import type { ProviderName } from '../../contract/sets.ts'
import type { Provider } from '../facts.ts'
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
import { trello } from './trello.ts'

/** Every tool we understand; one without an adapter does not compile. */
export const providers: Record<ProviderName, Provider> = {
  asana,
  buildkite,
  deployment,
  diversion,
  game_engine: gameEngine,
  github,
  jenkins,
  jira,
  linear,
  lore,
  monday,
  perforce,
  trello,
}
