import type { Decision } from '../contract/sets.ts'
import { HOUR, iso, MINUTE } from './calendar.ts'
import type { Change } from './changes.ts'
import type { Game } from './game.ts'
import type { Random } from './random.ts'

const COMMENTS: Record<Decision, readonly string[]> = {
  approved: [
    'Looks right in game.',
    'Reads well at distance, ship it.',
    'Matches the concept. Thank you!',
    'Checked on the low preset too.',
    'Good. Watch the texel density on the next one.',
    'Heard it in the mix, sits fine.',
    '',
    '',
  ],
  denied: [
    'Too saturated next to the harbor set, please bring it down.',
    'Silhouette is lost against the fog. Try a lighter rim.',
    'Seam visible on the left side at LOD1.',
    'Twice the memory budget of its neighbours; 1k is enough here.',
    'Clips at the loop point.',
  ],
  ignored: ['Placeholder, gets replaced anyway.', 'Resaved only, nothing to look at.', 'Only the import settings changed.'],
}
const STAGES = ['review', 'review', 'art_review', 'art_review', 'content_review', 'bulk_approval'] as const

/** A version of an asset that needs approval. */
export interface Request {
  path: string
  at: number
  change: Change
}

/** The newest requests are pending; everything older has been decided, mostly within a day. */
export function approvalsOf(game: Game, requests: readonly Request[], now: number, random: Random) {
  const waiting = new Set(requests.slice(-game.pending))
  return requests.map((request, i) => {
    const { path, at, change } = request
    const asked = { path, commit_sha: change.identifier, created_at: iso(at) }
    if (waiting.has(request)) return { ...asked, status: 'pending' as const, stage: 'review', updated_at: iso(at) }
    const again = requests.find((later, n) => n > i && later.path === path)?.at ?? now - 20 * MINUTE
    const decided = at + Math.min(random.between(0.4, 26) * HOUR, (again - at) * random.between(0.5, 0.9))
    const luck = random.next()
    const status: Decision = luck < 0.84 ? 'approved' : luck < 0.93 ? 'denied' : 'ignored'
    return {
      ...asked,
      status,
      stage: random.pick(STAGES),
      approver: random.pick(game.approvers),
      comments: random.pick(COMMENTS[status]),
      decided_at: iso(decided),
      updated_at: iso(decided),
    }
  })
}
export type Approval = ReturnType<typeof approvalsOf>[number]
