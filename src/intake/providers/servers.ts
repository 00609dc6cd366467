import type { ActingProvider, CheckoutProvider, ProviderName, StartableProvider } from '../../contract/sets.ts'
import type { Abilities } from '../abilities.ts'
import { abilities as asana } from './asana/abilities.ts'
import { abilities as azureDevops } from './azure-devops/abilities.ts'
import { abilities as bitbucket } from './bitbucket/abilities.ts'
import { abilities as buildkite } from './buildkite/abilities.ts'
import { abilities as clickup } from './clickup/abilities.ts'
import { abilities as diversion } from './diversion/abilities.ts'
import { abilities as github } from './github/abilities.ts'
import { abilities as gitlab } from './gitlab/abilities.ts'
import { abilities as horde } from './horde/abilities.ts'
import { abilities as jenkins } from './jenkins/abilities.ts'
import { abilities as jira } from './jira/abilities.ts'
import { abilities as linear } from './linear/abilities.ts'
import { abilities as monday } from './monday/abilities.ts'
import { abilities as perforce } from './perforce/abilities.ts'
import { abilities as shortcut } from './shortcut/abilities.ts'
import { abilities as teamcity } from './teamcity/abilities.ts'
import { abilities as youtrack } from './youtrack/abilities.ts'

type With<Ability extends keyof Abilities> = { [Name in Ability]-?: Abilities[Name] }

type Servers = Record<ProviderName, Abilities> &
  Record<ActingProvider, With<'act'>> &
  Record<StartableProvider, With<'starts'>> &
  Record<CheckoutProvider, With<'checkouts'>>

/** What the server of each tool can be asked for; a tool without an entry does not compile. */
export const servers = {
  github,
  gitlab,
  azure_devops: azureDevops,
  gitea: {},
  bitbucket,
  plastic: {},
  subversion: {},
  perforce,
  diversion,
  lore: {},
  jenkins,
  buildkite,
  teamcity,
  circleci: {},
  horde,
  game_engine: {},
  deployment: {},
  jira,
  linear,
  trello: {},
  monday,
  asana,
  clickup,
  youtrack,
  shortcut,
} satisfies Servers

export const abilitiesOf = (provider: ProviderName): Abilities => servers[provider]
