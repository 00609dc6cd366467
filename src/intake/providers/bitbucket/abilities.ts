import type { Abilities } from '../../abilities.ts'
import { readBitbucketLog } from './console.ts'

export const abilities = {
  jobs: { read_bitbucket_log: readBitbucketLog },
} satisfies Abilities
