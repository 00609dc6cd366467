import { readTeamCityLog } from './console.ts'

export const jobs = { read_teamcity_log: readTeamCityLog }
