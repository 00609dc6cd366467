import { labelOf } from '../labels.ts'
import { type DeploymentStatus, PLATFORMS, type Platform } from '../sets.ts'

/** The name of a store and its own words for states. The API keeps the values of `DEPLOYMENT_STATUSES`. */
interface Store {
  label: string
  /** The state after an upload: the store reviews it at once, it waits for submission, or it can go live. */
  uploaded: DeploymentStatus
  statuses?: Partial<Record<DeploymentStatus, string>>
  /** The same in sentences. */
  words?: Partial<Record<DeploymentStatus, string>>
  aliases?: readonly string[]
}

const CERTIFIES = {
  uploaded: 'uploading',
  statuses: {
    submitted: 'Submitted for certification',
    in_review: 'In certification',
    approved: 'Certified',
    rejected: 'Failed certification',
  },
  words: {
    submitted: 'was submitted for certification',
    in_review: 'is in certification',
    approved: 'passed certification',
    rejected: 'failed certification',
  },
} as const satisfies Partial<Store>

const REVIEWS = { uploaded: 'in_review' } as const
const OPEN = { uploaded: 'approved' } as const

/** The platforms of the API. */
const OF_PLATFORMS: Record<Platform, Store> = {
  steam: { label: 'Steam', ...OPEN },
  epic_games_store: { label: 'Epic Games Store', ...REVIEWS },
  google_play: { label: 'Google Play', ...REVIEWS },
  apple_app_store: { label: 'App Store', ...REVIEWS },
  unity_cloud: { label: 'Unity Cloud', ...OPEN },
  custom: { label: 'Custom', ...OPEN },
  reddit_devvit: { label: 'Reddit', ...REVIEWS },
  youtube_playables: { label: 'YouTube Playables', ...REVIEWS },
}

/** Stores whose platform is `custom` in the API. */
const NAMED = new Map<string, Store>(
  Object.entries({
    ps5: { label: 'PlayStation 5', ...CERTIFIES, aliases: ['playstation_5', 'playstation5', 'prospero'] },
    ps4: { label: 'PlayStation 4', ...CERTIFIES, aliases: ['playstation_4', 'playstation4', 'orbis'] },
    xbox: {
      label: 'Xbox',
      ...CERTIFIES,
      aliases: ['xsx', 'xbox_series', 'xbox_series_x', 'xbox_series_x_s', 'scarlett', 'xb1', 'xbox_one'],
    },
    switch: { label: 'Nintendo Switch', ...CERTIFIES, aliases: ['nintendo_switch', 'nintendo'] },
    switch2: { label: 'Nintendo Switch 2', ...CERTIFIES, aliases: ['switch_2', 'nintendo_switch_2'] },
    microsoft_store: { label: 'Microsoft Store', ...REVIEWS, aliases: ['ms_store', 'windows_store'] },
    meta_quest: { label: 'Meta Quest Store', ...REVIEWS, aliases: ['quest', 'oculus', 'meta'] },
    gog: { label: 'GOG', ...REVIEWS, aliases: ['gog_com', 'gog_galaxy'] },
    itch: { label: 'itch.io', ...OPEN, aliases: ['itch_io', 'itchio'] },
    github: { label: 'GitHub Releases', ...OPEN },
    gitea: { label: 'Gitea Releases', ...OPEN },
    gitlab: { label: 'GitLab Releases', ...OPEN },
  }),
)

const ALIASES = new Map(
  [...NAMED].flatMap(([name, { aliases = [] }]) => [name, ...aliases].map((alias): [string, string] => [alias, name])),
)

const STORE_MAX = 60
export const TRACK_MAX = 100

/** One spelling of a store without a platform in the API: `PlayStation 5` is `ps5`; empty without a name. */
export function storeOf(name: string): string {
  const word = name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '_')
    .replace(/^_+|_+$/g, '')
    .slice(0, STORE_MAX)
  return word === 'custom' ? '' : (ALIASES.get(word) ?? word)
}

/** One spelling of a track: Steam's branch `default` is called `public` by its tools. */
export function trackOf(platform: Platform, name: string): string {
  const word = name.trim().toLowerCase().slice(0, TRACK_MAX)
  return platform === 'steam' && word === 'public' ? 'default' : word
}

const isPlatform = (name: string): name is Platform => (PLATFORMS as readonly string[]).includes(name)

/** By the `store` of a deployment: a platform, or the name of a store without one. */
const infoOf = (store: string | null): Store => {
  if (store === null) return OF_PLATFORMS.custom
  return isPlatform(store) ? OF_PLATFORMS[store] : (NAMED.get(store) ?? { label: titled(store), ...OPEN })
}

/** `my_shop` is shown as `My shop`. */
const titled = (name: string) => name.charAt(0).toUpperCase() + name.slice(1).replaceAll('_', ' ')

/** The official name of the store. */
export const storeLabel = (store: string | null): string => infoOf(store).label

/** The state after an upload. */
export const statusAfterUpload = (store: string | null): DeploymentStatus => infoOf(store).uploaded

/** Whether the API's state only means that the upload is done. */
export const isOnlyUploaded = (store: string | null, status: DeploymentStatus, isDone: boolean): boolean =>
  isDone && status !== 'in_review' && status === infoOf(store).uploaded

/** A state of the API as the store says it in a sentence; undefined if it says it as all do. */
export const statusWords = (store: string | null, status: DeploymentStatus): string | undefined => infoOf(store).words?.[status]

/** The store's word for a state of the API. An upload without a review is uploaded, not approved. */
export function statusLabel({
  store,
  status,
  deployed_at,
}: {
  store: string | null
  status: DeploymentStatus
  deployed_at: string | null
}): string {
  if (isOnlyUploaded(store, status, deployed_at !== null)) return 'Uploaded'
  return infoOf(store).statuses?.[status] ?? labelOf('deployment_status', status)
}
