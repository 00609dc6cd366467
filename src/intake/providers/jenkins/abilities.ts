import type { Abilities } from '../../abilities.ts'
import { actAtJenkins } from './act.ts'
import { pollJenkins } from './poll.ts'
import { followJenkins, startJenkins } from './start.ts'

export const abilities = {
  jobs: { poll_jenkins: pollJenkins, start_jenkins: startJenkins, follow_jenkins: followJenkins },
  act: actAtJenkins,
  starts: 'start_jenkins',
} satisfies Abilities
