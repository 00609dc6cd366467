import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

export interface Job {
  port: number
  connections: number
  /** Complete requests in wire format, used in turn. */
  requests: string[]
  /** Ends at whichever comes first. */
  seconds: number
  most: number
}

export interface Outcome {
  answered: number
  seconds: number
  /** Milliseconds. */
  p50: number
  p99: number
  /** The first responses that were not a success. */
  failures: string[]
}

export interface Load {
  run(job: Job): Promise<Outcome>
  /** As long as the work takes. */
  during<T>(job: Omit<Job, 'seconds' | 'most'>, work: () => Promise<T>): Promise<[Outcome, T]>
  stop(): void
}

const LONGEST_SECONDS = 600

export function startLoad(): Load {
  const child = fork(fileURLToPath(new URL('./load-generator.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
  const run = async (job: Job) => {
    child.send(job)
    const outcome = await new Promise<Outcome>((resolve, reject) => {
      const ended = () => reject(new Error('The load generator ended early.'))
      child.once('exit', ended).once('message', (message) => {
        child.off('exit', ended)
        resolve(message as Outcome)
      })
    })
    if (outcome.failures.length > 0) throw new Error(`Not a success:\n${outcome.failures.join('\n')}`)
    return outcome
  }
  return {
    run,
    during: (job, work) =>
      Promise.all([
        run({ ...job, seconds: LONGEST_SECONDS, most: Number.MAX_SAFE_INTEGER }),
        work().finally(() => child.send('stop')),
      ]),
    stop: () => child.kill(),
  }
}
