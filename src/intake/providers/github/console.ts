import type { Jobs } from '../../../db/queue.ts'
import { at, objects, text, word } from '../../reading.ts'
import { storedLog, storingLog, unlessRefused } from '../failed-log.ts'
import { repositoryAt } from './server.ts'

const FAILED: readonly unknown[] = ['failure', 'timed_out']

/** Stores the log of the first job of a run that failed: later ones often fail because of it. */
export const readGitHubLog = storingLog<Jobs['read_github_log']>(async ({ config, allowed, signal }, { run }) => {
  const { json, send } = repositoryAt(config, allowed, signal)
  const listed = objects(at(await json(`/actions/runs/${run}/jobs?filter=latest&per_page=100`), 'jobs'))
  const [first] = listed
    .filter(({ conclusion }) => FAILED.includes(conclusion))
    .toSorted((one, other) => (text(one.completed_at) ?? '').localeCompare(text(other.completed_at) ?? ''))
  const id = word(first?.id)
  if (id === undefined) return undefined
  const permitted: typeof allowed = (host, ip, port) => allowed(host, ip, port, 'github')
  const log = send(`/actions/jobs/${id}/logs`, { manualRedirect: true })
  return unlessRefused(log.then((reply) => storedLog(reply, 'GitHub', { allowed: permitted, signal })))
})
