import { readBuildkiteLog } from './console.ts'
import { startBuildkite } from './start.ts'

export const jobs = { read_buildkite_log: readBuildkiteLog, start_buildkite: startBuildkite }
