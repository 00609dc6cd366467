import type { Abilities } from '../../abilities.ts'
import { actAtGitLab } from './act.ts'
import { readGitLabLog } from './console.ts'
import { gitLabFile } from './server-file.ts'
import { users } from './users.ts'
import { writeBack } from './write-back.ts'

export const abilities = {
  jobs: { read_gitlab_log: readGitLabLog },
  act: actAtGitLab,
  users,
  results: writeBack,
  file: gitLabFile,
} satisfies Abilities
