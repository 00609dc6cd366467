import { readBitbucketLog } from './console.ts'

export const jobs = { read_bitbucket_log: readBitbucketLog }
