import type { assetsOf } from './assets.ts'
import type { Change } from './changes.ts'
import type { Game } from './game.ts'
import { pathOn } from './merges.ts'

/** `UALO4PIXVKJTZ7…`: 22 characters, as Unreal names files of actors. */
const nameOf = (i: number) => (i * 7_919 + 104_729).toString(36).toUpperCase().padStart(22, 'K3PV9XQJ2M7TZ4WB8HNL')

/**
 * Files of single actors of a level, submitted with the newest change that waits for approval: the queue shows them as one entry. Their
 * change is extended, so that it names them.
 */
export function levelPartsOf(
  game: Game,
  changes: readonly Change[],
  assets: ReturnType<typeof assetsOf>,
): ReturnType<typeof assetsOf> {
  const waiting = new Set(
    assets.flatMap(({ approvals }) => approvals.filter(({ status }) => status === 'pending').map(({ commit_sha }) => commit_sha)),
  )
  const change = changes.findLast(({ identifier, files }) => files && waiting.has(identifier))
  if (!game.actors || !change) return []
  const { level, count } = game.actors
  const [folder, name] = [level.slice(0, level.indexOf('/') + 1), level.slice(level.indexOf('/') + 1)]
  const at = { created_at: change.timestamp, updated_at: change.timestamp }
  return Array.from({ length: count }, (_, i) => {
    const file = `${nameOf(i)}.uasset`
    const path = pathOn(
      game.main,
      `${folder}__ExternalActors__/${name}/${i % 10}/${(i % 26).toString(36).toUpperCase()}7/${file}`,
    )
    change.files!.push({ path, action: 'edit' })
    return {
      key: `${game.key}-actor-${i + 1}`,
      project: game.key,
      name: file,
      path,
      asset_type: 'level' as const,
      version: 2,
      size_bytes: 9_000 + 37 * i,
      last_change: change.key,
      approvals: [{ commit_sha: change.identifier, version: 2, status: 'pending' as const, stage: 'review', ...at }],
      // Lists are by age: the files of one level must not fill the first page.
      created_at: changes[0]!.timestamp,
      updated_at: change.timestamp,
    }
  })
}
