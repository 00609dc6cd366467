import { describeChangelist } from './describe-job.ts'
import { readStreams } from './server-streams.ts'

export const jobs = { describe_changelist: describeChangelist, read_streams: readStreams }
