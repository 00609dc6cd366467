import type { ServerSettings } from '../../provider.ts'
import { START_PARAMETERS } from '../ci-action.ts'

export const server: ServerSettings = {
  why: 'If you enter your GitLab server and a token, logs of failed pipelines are fetched, and people can repeat, stop and start pipelines. With the path of the project, changed pictures, models and packages get previews, and its history can be imported.',
  writeBackDoes:
    'Sets the status of commits with the cause of a failure, and keeps one comment on each merge request with the verdict of every job. Everyone who can read the repository sees them.',
  writeBackNeeds:
    'the scope api and the role Developer in the project. For commits of a protected branch: the right to push or merge to it',
  fields: [
    { key: 'server', label: 'GitLab server', hint: 'https://gitlab.com. The operator must allow private addresses.' },
    {
      key: 'api_token',
      label: 'Access token',
      hint: 'Of the project or group, with the role Developer and the scope api; read_api is enough for logs and imports',
    },
    {
      key: 'gitlab_project',
      label: 'Path of the project',
      hint: 'studio/games/starfall, for previews and to import its history',
    },
    START_PARAMETERS,
  ],
}
