import { storeLabel } from '../../contract/spellings/stores.ts'
import { useApi } from '../queries.ts'
import { useMe, useProject } from '../session.ts'
import { useDebounced } from '../ui/form/debounced.ts'
import type { IconName } from '../ui/icons.ts'
import { wordsOf } from '../ui/pill.tsx'
import { PROJECT_PAGES, settingsGroups } from './navigation.ts'
import { type Openers, readVerb, useActions } from './palette-actions.ts'

export interface Choice {
  group: 'Do' | 'Go to' | 'Found'
  /** Its URL, or the id of an action. */
  url: string
  /** Runs an action instead. */
  run?: () => unknown
  title: string
  detail: string
  /** Further search words. */
  words?: string
  /** Its kind, for screen readers. */
  kind?: string
  icon: IconName
}

const ICONS: Record<string, IconName> = { project: 'overview', store: 'deployment', comment: 'chat' }
const PLACES_MAX = 8

/** Actions, pages and records that match the text: pages at once, records after a pause in typing. */
export function useChoices(text: string, openers: Openers) {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean)
  const { verb, about } = readVerb(text)
  const q = useDebounced(about)
  const asked = q.length > 1
  const { data, error, isFetching } = useApi('search', { query: { q } }, { enabled: asked, stale: 0 })
  const places = usePlaces()
    .filter(({ title, detail, words: more = '' }) =>
      words.every((word) => `${title} ${detail} ${more}`.toLowerCase().includes(word)),
    )
    // A page that starts with the text is listed first.
    .sort((a, b) => begins(b, words) - begins(a, words))
  const hits = asked && words.length > 0 ? (data?.hits ?? []) : []
  const actions = useActions(text, hits, openers).map(({ id, ...action }): Choice => ({ group: 'Do', url: id, ...action }))
  const found = (verb && about !== '' ? [] : hits).map(
    ({ kind, url, title, detail, project_name }): Choice => ({
      group: 'Found',
      url,
      title: kind === 'store' || kind === 'deployment' ? storeNamed(title) : title || detail,
      // A path and an identifier keep their underscores; a state is shown as words.
      detail: [kind === 'asset' || kind === 'change' ? detail : wordsOf(detail), project_name].filter(Boolean).join(' · '),
      kind,
      icon: ICONS[kind] ?? (kind as IconName),
    }),
  )
  const known = new Set(places.map(({ url }) => url))
  const shown = words.length > 0 ? places.slice(0, PLACES_MAX) : places
  return {
    choices: [...actions, ...shown, ...found.filter(({ url }) => !known.has(url))],
    error: asked ? error : null,
    looking: about.length > 1 && (isFetching || q !== about),
  }
}

/** `google_play 0.9` with its official name. */
const storeNamed = (title: string) => title.replace(/^\w+/, storeLabel)

const begins = ({ title }: Choice, [word]: string[]) => (word && title.toLowerCase().startsWith(word) ? 1 : 0)

function usePlaces(): Choice[] {
  const me = useMe()
  const project = useProject()
  const place = (url: string, title: string, detail: string, icon: IconName): Choice => ({
    group: 'Go to',
    url,
    title,
    detail,
    icon,
  })
  return [
    ...(project
      ? PROJECT_PAGES.map(([path, title, icon]) => place(`/projects/${project.id}${path}`, title, project.name, icon))
      : []),
    place('/feed', 'Feed', 'Everything that happened', 'feed'),
    place('/inbox', 'Inbox', 'Notifications about you', 'bell'),
    ...me.projects.map(({ id, name }) => place(`/projects/${id}`, name, 'Project', 'overview')),
    place('/projects/new', 'New project', 'Project', 'plus'),
    place('/settings', 'Settings', 'All settings', 'settings'),
    ...settingsGroups(me).flatMap(([, places]) =>
      places.map(([url, title, icon, line]) => ({ ...place(url, title, 'Settings', icon), words: line })),
    ),
  ].filter(({ url }, i, all) => all.findIndex((one) => one.url === url) === i)
}
