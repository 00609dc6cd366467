import type { Abilities } from '../../abilities.ts'
import { actAtBuildkite } from './act.ts'
import { readBuildkiteLog } from './console.ts'
import { startBuildkite } from './start.ts'

export const abilities = {
  jobs: { read_buildkite_log: readBuildkiteLog, start_buildkite: startBuildkite },
  act: actAtBuildkite,
  starts: 'start_buildkite',
} satisfies Abilities
