import { APPROVED_TYPES, type AssetType } from '../contract/sets.ts'
import { assetTypeOf } from '../domain/assets/asset-types.ts'
import { type Approval, approvalsOf, type Request } from './approvals.ts'
import type { Change } from './changes.ts'
import type { Game } from './game.ts'
import type { Random } from './random.ts'

/** Kilobytes, smallest and largest. */
const SIZES: Partial<Record<AssetType, readonly [number, number]>> = {
  texture: [300, 22_000],
  model: [120, 38_000],
  audio: [200, 14_000],
  level: [400, 95_000],
  animation: [40, 6_000],
  archive: [4_000, 180_000],
  video: [12_000, 240_000],
}
const SMALL = [1, 60] as const

interface Touched {
  type: AssetType
  changes: Change[]
}

/** Files of changes that are assets, with a version for every change, and their decisions. */
export function assetsOf(game: Game, changes: readonly Change[], now: number, random: Random) {
  const touched = new Map<string, Touched>()
  const requests: Request[] = []
  for (const change of changes)
    for (const { path, action } of change.files ?? []) {
      const type = assetTypeOf(path)
      if (type === undefined || action === 'delete' || change.orphaned_at) continue
      const asset = touched.get(path) ?? { type, changes: [] }
      touched.set(path, asset)
      asset.changes.push(change)
      if (APPROVED_TYPES.includes(type)) requests.push({ path, at: Date.parse(change.timestamp), change })
    }
  const approvals = approvalsOf(game, latestPerWait(game, requests), now, random)
  return [...touched].map(([path, asset], i) => {
    const own = approvals.filter((approval) => approval.path === path)
    return assetOf(game, i, path, asset, own, random)
  })
}

/** A change to a pending asset moves its request instead of creating a second one. */
function latestPerWait(game: Game, requests: readonly Request[]): Request[] {
  const recent = requests.slice(-2 * game.pending)
  return requests.filter(
    (request) => !recent.includes(request) || recent.findLast(({ path }) => path === request.path) === request,
  )
}

function assetOf(game: Game, index: number, path: string, asset: Touched, approvals: readonly Approval[], random: Random) {
  const { type, changes } = asset
  const [smallest, largest] = SIZES[type] ?? SMALL
  return {
    key: `${game.key}-asset-${index + 1}`,
    project: game.key,
    name: path.slice(path.lastIndexOf('/') + 1),
    path,
    asset_type: type,
    version: changes.length,
    size_bytes: Math.round(1024 * smallest * (largest / smallest) ** random.next()),
    last_change: changes.at(-1)!.key,
    approvals: approvals.map(({ path: _, ...approval }) => ({
      ...approval,
      version: 1 + changes.findIndex(({ identifier }) => identifier === approval.commit_sha),
    })),
    created_at: changes[0]!.timestamp,
    updated_at: [changes.at(-1)!.timestamp, ...approvals.map((approval) => approval.updated_at)].sort().at(-1)!,
  }
}
