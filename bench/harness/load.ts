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
  stop(): void
}

export function startLoad(): Load {
  const child = fork(fileURLToPath(new URL('./load-generator.ts', import.meta.url)), { execArgv: ['--import', 'tsx'] })
  return {
    async run(job) {
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
    },
    stop: () => child.kill(),
  }
}
