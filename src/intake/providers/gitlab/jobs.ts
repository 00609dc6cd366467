import { readGitLabLog } from './console.ts'

export const jobs = { read_gitlab_log: readGitLabLog }
