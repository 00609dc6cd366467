import type { Abilities } from '../../abilities.ts'
import { diversionFile } from './server-file.ts'

export const abilities = {
  file: diversionFile,
} satisfies Abilities
