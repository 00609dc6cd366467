import type { Comment } from '../comments/queries.ts'

export interface Point {
  x: number
  y: number
}

/** A marked point of a version with its comments, oldest first. */
export interface Thread {
  /** On its pin; points of a version are numbered by age. */
  number: number
  point: Point
  comments: Comment[]
  /** Of its first comment that is not deleted. */
  resolved: boolean
}

/** The points of a version. Comments at the same point are one thread; one whose comments are all deleted is not shown, but keeps its number. */
export function threadsOf(comments: readonly Comment[], version: number): Thread[] {
  const threads = new Map<string, Comment[]>()
  for (const comment of comments.toSorted((a, b) => a.id - b.id)) {
    const { point, asset_version } = comment
    if (!point || asset_version !== version) continue
    const key = `${point.x},${point.y}`
    threads.set(key, [...(threads.get(key) ?? []), comment])
  }
  return [...threads.values()]
    .map((thread, i) => {
      const first = rootOf(thread)
      return { number: i + 1, point: thread[0]!.point!, comments: thread, resolved: first?.resolved_at != null }
    })
    .filter(({ comments }) => rootOf(comments))
}

/** The comment that says whether a thread is resolved. */
export const rootOf = (comments: readonly Comment[]): Comment | undefined =>
  comments.find(({ deleted_at }) => deleted_at === null)
