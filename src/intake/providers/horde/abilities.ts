import type { Abilities } from '../../abilities.ts'
import { actAtHorde } from './act.ts'
import { readHordeLog } from './console.ts'
import { pollHorde } from './poll.ts'

export const abilities = {
  jobs: { poll_horde: pollHorde, read_horde_log: readHordeLog },
  act: actAtHorde,
} satisfies Abilities
