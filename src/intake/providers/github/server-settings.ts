import type { ServerSettings } from '../../provider.ts'
import { START_PARAMETERS } from '../ci-action.ts'

export const server: ServerSettings = {
  why: 'If you enter your repository and a token, logs of failed workflow runs are fetched, and people and bisections can start, repeat and stop workflow runs.',
  writeBackDoes:
    'Sets the status of commits with the cause of a failure, and keeps one comment on each pull request with the verdict of every job. Everyone who can read the repository sees them.',
  writeBackNeeds: 'Commit statuses: read and write, and Pull requests: read and write',
  fields: [
    { key: 'server', label: 'API URL of the repository', hint: 'https://api.github.com/repos/your-organization/your-repository' },
    { key: 'api_token', label: 'Access token', hint: 'Fine-grained, with Actions: read and write and Contents: read' },
    START_PARAMETERS,
  ],
}
