/** How many days, weeks and months have a backup; the newest one of each is kept. */
export interface Keep {
  daily: number
  weekly: number
  monthly: number
}

interface Made {
  started_at: string
  status: string
}

const DAY_MS = 86_400_000
/** January 1, 1970 was a Thursday; weeks start on Monday. */
const PERIODS: Record<keyof Keep, (time: Date) => string | number> = {
  daily: (time) => time.toISOString().slice(0, 10),
  weekly: (time) => Math.floor((time.getTime() / DAY_MS + 3) / 7),
  monthly: (time) => time.toISOString().slice(0, 7),
}

/** The backups to delete. Those that failed their test are deleted once there is a newer good one; the newest good one is always kept. */
export function expendable<B extends Made>(backups: readonly B[], keep: Keep): B[] {
  const newestFirst = [...backups].sort((a, b) => Date.parse(b.started_at) - Date.parse(a.started_at))
  const good = newestFirst.filter(({ status }) => status === 'good')
  const [newest] = good
  if (!newest) return []
  const kept = new Set([newest])
  for (const [name, count] of Object.entries(keep) as [keyof Keep, number][]) {
    const seen = new Set<string | number>()
    for (const backup of good) {
      const period = PERIODS[name](new Date(backup.started_at))
      if (seen.has(period)) continue
      if (seen.size === count) break
      seen.add(period)
      kept.add(backup)
    }
  }
  return newestFirst.filter(
    (backup) => !kept.has(backup) && (backup.status === 'good' || Date.parse(backup.started_at) < Date.parse(newest.started_at)),
  )
}
