import type { Abilities } from '../../abilities.ts'
import { users } from './users.ts'
import { writeBack } from './write-back.ts'

export const abilities = {
  users,
  issues: writeBack,
} satisfies Abilities
