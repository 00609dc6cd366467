import type { Places } from '../../provider.ts'
import { type Json, text } from '../../reading.ts'

/** The path of a project of the configured server, by one of its pages. GitLab reads paths in any case. */
export function projectOf(page: string, config: Readonly<Json>): string | undefined {
  const base = `${(text(config.server) ?? '').replace(/\/$/, '')}/`
  if (!page.toLowerCase().startsWith(base.toLowerCase())) return undefined
  return /^(.+?)\/-\//.exec(page.slice(base.length))?.[1]?.toLowerCase()
}

const spelled = (path: string) =>
  path
    .trim()
    .replace(/^\/+|\/+$/g, '')
    .toLowerCase()

const inSettings = ({ gitlab_project }: Readonly<Json>) => [spelled(text(gitlab_project) ?? '')].filter((path) => path !== '')

export const places: Places = {
  noun: 'projects',
  example: 'studio/starfall, or studio/* for a group',
  inSettings,
  // Files are asked for in the project of the settings.
  of: ({ url, path }, config) => (path === undefined ? projectOf(url ?? '', config) : inSettings(config)[0]),
  spelled,
}
