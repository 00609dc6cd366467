import type { ServerSettings } from '../../provider.ts'

export const server: ServerSettings = {
  why: 'If you enter the API and a token, changed pictures, models and packages are fetched for their previews.',
  fields: [
    { key: 'server', label: 'API URL', hint: 'https://api.diversion.dev/v0' },
    { key: 'api_token', label: 'API token', hint: 'Of a member who can read the repository' },
    { key: 'diversion_repository', label: 'Repository', hint: 'Its id, dv.repo.…' },
  ],
}
