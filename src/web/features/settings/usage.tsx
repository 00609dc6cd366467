import type { AppReply } from '../../../contract/app/routes.ts'

const DAYS = 30

/** Investigations of the last thirty days, one bar a day. */
export function Usage({ usage }: { usage: AppReply<'showAccount'>['usage'] }) {
  const days = Array.from({ length: DAYS }, (_, i) => {
    const day = new Date(Date.now() - (DAYS - 1 - i) * 86_400_000).toISOString().slice(0, 10)
    return usage.find((one) => one.day === day) ?? { day, investigations: 0, refunded: 0 }
  })
  const most = Math.max(1, ...days.map(({ investigations }) => investigations))
  if (usage.length === 0) return <p className="text-sm text-soft">No investigations in the last 30 days.</p>
  return (
    <figure className="grid gap-1">
      <ol className="flex h-24 items-end gap-0.5">
        {days.map(({ day, investigations, refunded }) => (
          <li
            key={day}
            title={`${day}: ${investigations}${refunded ? `, ${refunded} refunded` : ''}`}
            className="flex h-full min-w-0 flex-1 items-end rounded-sm bg-hover/60"
          >
            <span className="sr-only">
              {day}: {investigations} investigations
            </span>
            <span
              aria-hidden="true"
              className="w-full rounded-sm bg-accent"
              style={{ height: `${(investigations / most) * 100}%` }}
            />
          </li>
        ))}
      </ol>
      <figcaption className="flex justify-between text-xs text-soft">
        <span>{days[0]!.day}</span>
        <span>at most {most} per day</span>
        <span>today</span>
      </figcaption>
    </figure>
  )
}
