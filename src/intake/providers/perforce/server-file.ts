import { spawn } from 'node:child_process'
import { currentBudget } from '../../../net/budget.ts'
import { NoAnswer, Unreachable } from '../../../net/safe-fetch.ts'
import type { Json } from '../../reading.ts'
import { isDepotPath } from './depot-path.ts'
import { session } from './server.ts'
import type { PerforceContext } from './server-streams.ts'

const TIMEOUT_MS = 20_000
const COMPLAINT_MAX = 500

/** A file as it was in a changelist; of a long one, the first bytes: the rest is not sent. */
export async function perforceFile(
  { allowed, p4 }: PerforceContext,
  config: Readonly<Json>,
  { path, identifier }: { path: string; identifier: string },
  limit: number,
  signal?: AbortSignal,
) {
  if (!isDepotPath(path) || !/^\d+$/.test(identifier)) throw new Unreachable('No path of a depot.')
  return session(config, { allowed, p4, signal }, (_, { p4, env }) =>
    read(p4, ['print', '-q', `${path}@${identifier}`], env, limit, signal),
  )
}

function read(p4: string, args: string[], env: NodeJS.ProcessEnv, limit: number, signal?: AbortSignal) {
  const budget = currentBudget()
  budget?.spend('pages', 1)
  const child = spawn(p4, args, { env, stdio: ['ignore', 'pipe', 'pipe'], windowsHide: true })
  const pieces: Buffer[] = []
  let [length, complaint] = [0, '']
  return new Promise<{ bytes: Buffer; isCut: boolean }>((resolve, reject) => {
    const end = (error?: Error) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', abort)
      child.kill('SIGKILL')
      if (error) reject(error)
      else resolve({ bytes: Buffer.concat(pieces).subarray(0, limit), isCut: length > limit })
    }
    const abort = () => end(new NoAnswer('The Perforce server took too long.'))
    // A server that sends is not silent: only this file takes too long.
    const timer = setTimeout(() => (length > 0 ? end(new Unreachable('The file takes too long.')) : abort()), TIMEOUT_MS)
    signal?.addEventListener('abort', abort, { once: true })
    child.on('error', (error: NodeJS.ErrnoException) =>
      end(error.code === 'ENOENT' ? new Unreachable('The Perforce command line client (p4) is not installed here.') : error),
    )
    child.stderr.on('data', (data: Buffer) => {
      complaint = `${complaint}${data}`.slice(0, COMPLAINT_MAX)
    })
    child.stdout.on('data', (data: Buffer) => {
      pieces.push(data)
      length += data.length
      if (length > limit) return end()
      try {
        budget?.spend('bytes', data.length)
      } catch (error) {
        end(error as Error)
      }
    })
    child.on('close', (code) => {
      if (code === 0 && (length > 0 || complaint === '')) return end()
      if (/connect to server failed/i.test(complaint)) return end(new NoAnswer(complaint))
      end(new Unreachable(complaint.trim() || `p4 ended with ${code}.`))
    })
  })
}
