import { useQueryClient } from '@tanstack/react-query'
import { useEffect, useRef } from 'react'
import { continued, markOf } from '../../../contract/app/log-mark.ts'
import type { AppReply } from '../../../contract/app/routes.ts'
import { LOG_MAX } from '../../../contract/limits.ts'
import { ask } from '../../api.ts'
import { isAway, onReturn } from '../../attention.ts'
import { useLive } from '../../live.ts'
import { useApi } from '../../queries.ts'

/** How often the log of an active build is read; not at all while the page is hidden. */
const PAUSE_MS = 2_000
/** While nobody uses the page: fifteen times in five minutes. */
const AWAY_PAUSE_MS = 20_000

/** A page that follows a build keeps more of its log than the server, which has only the end; days of it would be too much. */
const cut = (log: string) => (log.length > 8 * LOG_MAX ? log.slice(log.indexOf('\n', log.length - LOG_MAX) + 1) : log)

/** A build's log. While the build runs only new output is requested; at its end, the stored log. */
export function useBuildLog(build: AppReply<'showBuild'>, projectId: string, isRunning: boolean) {
  const client = useQueryClient()
  const args = { project_id: projectId, build_run_id: build.id }
  const query = useApi('readBuildLog', args)
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined)
  const readAt = useRef(0)
  const missed = useRef(false)

  const goOn = async () => {
    readAt.current = Date.now()
    const key = ['readBuildLog', args]
    const before = client.getQueryData<string>(key)
    // Not loaded yet, or loading: it will contain what is new.
    if (before === undefined) return
    // A failed request is made up for by the next piece, or at the end of the build.
    const rest = await ask('readBuildLogRest', { ...args, query: { mark: markOf(before) } }).catch(() => undefined)
    if (rest) client.setQueryData(key, rest.continues ? cut(continued(before, rest.text)) : rest.text)
  }
  const goOnSoon = () => {
    if (document.hidden) missed.current = true
    else
      timer.current ??= setTimeout(
        () => {
          timer.current = undefined
          void goOn()
        },
        Math.max(0, readAt.current + (isAway() ? AWAY_PAUSE_MS : PAUSE_MS) - Date.now()),
      )
  }
  useEffect(() => () => clearTimeout(timer.current), [])
  useLive(({ event_type, url }) => {
    if (event_type === 'build_run.progressed' && url.endsWith(`/builds/${build.id}`)) goOnSoon()
  })
  // biome-ignore lint/correctness/useExhaustiveDependencies: missed output is loaded when the page is visible again
  useEffect(() => {
    const look = () => {
      if (document.hidden || !missed.current) return
      missed.current = false
      goOnSoon()
    }
    const hurry = () => {
      if (timer.current === undefined) return
      clearTimeout(timer.current)
      timer.current = undefined
      goOnSoon()
    }
    document.addEventListener('visibilitychange', look)
    const forget = onReturn(hurry)
    return () => {
      document.removeEventListener('visibilitychange', look)
      forget()
    }
  }, [build.id])
  // Without a stream, and when the build ends, the build itself shows that there is more.
  const known = useRef(build.updated_at)
  // biome-ignore lint/correctness/useExhaustiveDependencies: only an updated build has more output
  useEffect(() => {
    if (known.current === build.updated_at) return
    known.current = build.updated_at
    if (isRunning) goOnSoon()
    else void query.refetch()
  }, [build.updated_at, isRunning])
  return query
}
