import type { Abilities } from '../../abilities.ts'
import { users } from './users.ts'

export const abilities = {
  users,
} satisfies Abilities
