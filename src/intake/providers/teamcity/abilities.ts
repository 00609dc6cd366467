import type { Abilities } from '../../abilities.ts'
import { actAtTeamCity } from './act.ts'
import { readTeamCityLog } from './console.ts'

export const abilities = {
  jobs: { read_teamcity_log: readTeamCityLog },
  act: actAtTeamCity,
} satisfies Abilities
