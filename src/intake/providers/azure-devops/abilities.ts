import type { Abilities } from '../../abilities.ts'
import { readAzureLog } from './console.ts'
import { users } from './users.ts'

export const abilities = {
  jobs: { read_azure_log: readAzureLog },
  users,
} satisfies Abilities
