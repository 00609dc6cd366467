import { readGitHubLog } from './console.ts'
import { startGitHub } from './start.ts'

export const jobs = { read_github_log: readGitHubLog, start_github: startGitHub }
