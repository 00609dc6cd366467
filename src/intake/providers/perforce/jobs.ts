import { describeChangelist } from './describe-job.ts'

export const jobs = { describe_changelist: describeChangelist }
