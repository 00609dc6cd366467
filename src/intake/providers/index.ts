import type { ProviderName } from '../../contract/sets.ts'
import type { Provider } from '../provider.ts'
import { asana } from './asana/index.ts'
import { azureDevops } from './azure-devops/index.ts'
import { bitbucket } from './bitbucket/index.ts'
import { buildkite } from './buildkite/index.ts'
import { circleci } from './circleci/index.ts'
import { clickup } from './clickup/index.ts'
import { deployment } from './deployment/index.ts'
import { diversion } from './diversion/index.ts'
import { gameEngine } from './game-engine/index.ts'
import { gitea } from './gitea/index.ts'
import { github } from './github/index.ts'
import { gitlab } from './gitlab/index.ts'
import { horde } from './horde/index.ts'
import { jenkins } from './jenkins/index.ts'
import { jira } from './jira/index.ts'
import { linear } from './linear/index.ts'
import { lore } from './lore/index.ts'
import { monday } from './monday/index.ts'
import { perforce } from './perforce/index.ts'
import { plastic } from './plastic/index.ts'
import { shortcut } from './shortcut/index.ts'
import { subversion } from './subversion/index.ts'
import { teamcity } from './teamcity/index.ts'
import { trello } from './trello/index.ts'
import { youtrack } from './youtrack/index.ts'

/** Every provider, in the order in which people see them; one without an adapter does not compile. */
export const providers: Record<ProviderName, Provider> = {
  github,
  gitlab,
  azure_devops: azureDevops,
  gitea,
  bitbucket,
  plastic,
  subversion,
  perforce,
  diversion,
  lore,
  jenkins,
  buildkite,
  teamcity,
  circleci,
  horde,
  game_engine: gameEngine,
  deployment,
  jira,
  linear,
  trello,
  monday,
  asana,
  clickup,
  youtrack,
  shortcut,
}
