import type { Abilities } from '../../abilities.ts'
import { actAtGitHub } from './act.ts'
import { readGitHubLog } from './console.ts'
import { gitHubFile } from './server-file.ts'
import { startGitHub } from './start.ts'
import { users } from './users.ts'
import { writeBack } from './write-back.ts'

export const abilities = {
  jobs: { read_github_log: readGitHubLog, start_github: startGitHub },
  act: actAtGitHub,
  starts: 'start_github',
  users,
  results: writeBack,
  file: gitHubFile,
} satisfies Abilities
