import { startBuildkite } from './start.ts'

export const jobs = { start_buildkite: startBuildkite }
