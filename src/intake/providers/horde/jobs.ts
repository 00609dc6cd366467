import { readHordeLog } from './console.ts'
import { pollHorde } from './poll.ts'

export const jobs = { poll_horde: pollHorde, read_horde_log: readHordeLog }
