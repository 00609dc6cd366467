import type { ServerSettings } from '../../provider.ts'
import { START_PARAMETERS } from '../ci-action.ts'

export const server: ServerSettings = {
  why: 'If you enter your organization and an API token, logs of failed builds are fetched, history can be imported, people and bisections can start builds, and people can repeat and stop them.',
  fields: [
    { key: 'server', label: 'API URL', hint: 'https://api.buildkite.com/v2/organizations/your-organization' },
    { key: 'api_token', label: 'API token', hint: 'With the scopes read_builds, write_builds and read_build_logs' },
    START_PARAMETERS,
  ],
}
