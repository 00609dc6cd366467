import type { Platform } from '../../../contract/sets.ts'

/** Stores as their owners write them. */
export const PLATFORM_NAMES: Record<Platform, string> = {
  steam: 'Steam',
  epic_games_store: 'Epic Games Store',
  google_play: 'Google Play',
  apple_app_store: 'App Store',
  unity_cloud: 'Unity Cloud',
  custom: 'Custom',
  reddit_devvit: 'Reddit',
  youtube_playables: 'YouTube Playables',
}
