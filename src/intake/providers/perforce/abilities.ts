import type { Abilities } from '../../abilities.ts'
import { describeChangelist } from './describe-job.ts'
import { users } from './server.ts'
import { perforceFile } from './server-file.ts'
import { perforce } from './server-history.ts'
import { openedIn } from './server-opened.ts'
import { readStreams } from './server-streams.ts'
import { writeBack } from './write-back.ts'

export const abilities = {
  jobs: { describe_changelist: describeChangelist, read_streams: readStreams },
  users: ({ config, ...server }) => users(config, server),
  reviews: writeBack,
  checkouts: openedIn,
  transport: perforce,
  file: perforceFile,
} satisfies Abilities
