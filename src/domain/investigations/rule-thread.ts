import { once } from 'node:events'
import { parentPort, Worker, workerData } from 'node:worker_threads'
import {
  ApiError,
  deserializeError,
  invalidParameter,
  rateLimited,
  type SerializedError,
  serializeError,
} from '../../contract/errors.ts'
import type { Finding } from '../../diagnosis/finding.ts'
import type { Definition } from '../../diagnosis/own-rules/definition.ts'
import { diagnoseWithOwn, type OwnOptions, problemOf, readOwnRules, withoutOwn } from '../../diagnosis/own-rules/own-rules.ts'
import * as trial from '../../diagnosis/own-rules/try-rule.ts'

/** Patterns of accounts are compiled and matched in separate threads: however slow they are, nobody else waits for them. */
const WORK = {
  prove: (given: object) => readOwnRules(given),
  try: trial.tryRule,
  diagnose: diagnoseWithOwn,
  problems: (definitions: Definition[]) => definitions.map(problemOf),
}
type Kind = keyof typeof WORK
type Result<K extends Kind> = ReturnType<(typeof WORK)[K]>
type Message = { kind: Kind; args: unknown[] }
type Answer = { done: unknown } | { refused: SerializedError }

/** The thread interrupts long work by itself; this is for what prevents it from doing so. */
const TIMEOUT_MS = 10_000
/** People often try a rule several times; after that the thread only costs memory. */
const IDLE_MS = 60_000

class ThreadTimeout extends Error {}
/** Other work kept the thread busy for too long. */
class QueueTimeout extends Error {}

/** A person who tests a rule waits only this long; investigations wait for each other. */
const [people, jobs] = [openThread({ patience: 5_000 }), openThread()]
const WAITING_MAX = 8
/** The limit for one account, so that its slow patterns don't block other accounts. */
const ACCOUNT_WAITING_MAX = 3
const waitingOf = new Map<number, number>()
const RETRY_AFTER_SECONDS = 5

/** Parses and validates one definition. */
export const validateRule = async (accountId: number, given: object): Promise<Definition> =>
  (await ask(accountId, 'prove', given))[0]!

export const tryRule = (accountId: number, given: object, log: string, others: Definition[]): Promise<trial.Trial> =>
  ask(accountId, 'try', given, log, others)

/** Like `diagnoseWithOwn`; if the thread itself fails, only the built-in rules apply. */
export async function diagnoseInThread(log: string, options: OwnOptions): Promise<Finding> {
  try {
    return await jobs.run('diagnose', log, options)
  } catch (error) {
    const { own: _, ...rest } = options
    return withoutOwn(log, rest, (error as Error).message)
  }
}

const PROBLEMS_KEPT = 2_000
/** Rules per piece of work: compiling a rule of the greatest size takes 0.2 s. */
const PROBLEMS_AT_ONCE = 20
const problems = new Map<string, string | null>()
const patternsOf = ({ match, block }: Definition) => JSON.stringify([match, block])

/** Why each of these rules is disabled; null if it is not. */
export async function findRuleProblems(accountId: number, definitions: Definition[]): Promise<(string | null)[]> {
  const isUnknown = (definition: Definition) => !problems.has(patternsOf(definition))
  if (problems.size + definitions.filter(isUnknown).length > PROBLEMS_KEPT) problems.clear()
  const asked = definitions.filter(isUnknown)
  while (asked.length > 0) {
    const batch = asked.splice(0, PROBLEMS_AT_ONCE)
    const found = await ask(accountId, 'problems', batch)
    for (const [n, definition] of batch.entries()) problems.set(patternsOf(definition), found[n]!)
  }
  return definitions.map((definition) => problems.get(patternsOf(definition)) ?? null)
}

async function ask<K extends Kind>(accountId: number, kind: K, ...args: Parameters<(typeof WORK)[K]>): Promise<Result<K>> {
  const waiting = waitingOf.get(accountId) ?? 0
  if (people.waiting() >= WAITING_MAX || waiting >= ACCOUNT_WAITING_MAX) throw rateLimited(RETRY_AFTER_SECONDS)
  waitingOf.set(accountId, waiting + 1)
  try {
    return await people.run(kind, ...args)
  } catch (error) {
    if (error instanceof QueueTimeout) throw rateLimited(RETRY_AFTER_SECONDS)
    throw error instanceof ThreadTimeout ? invalidParameter('match', 'takes too long') : error
  } finally {
    const left = waitingOf.get(accountId)! - 1
    if (left > 0) waitingOf.set(accountId, left)
    else waitingOf.delete(accountId)
  }
}

/**
 * One thread and its queue: one piece of work after the other, so that a second core stays free for requests. Work that waited longer than
 * `patience` milliseconds is not started.
 */
function openThread({ patience = Number.POSITIVE_INFINITY } = {}) {
  let last: Promise<unknown> = Promise.resolve()
  let waiting = 0
  let thread: Promise<Worker> | undefined
  let idle: NodeJS.Timeout | undefined

  const end = () => {
    void thread?.then((worker) => worker.terminate())
    thread = undefined
  }

  async function inThread(message: Message): Promise<unknown> {
    clearTimeout(idle)
    thread ??= start()
    const timeout = new AbortController()
    let timer: NodeJS.Timeout | undefined
    try {
      const worker = await thread
      timer = setTimeout(() => timeout.abort(), TIMEOUT_MS)
      worker.postMessage(message)
      const [answer] = (await once(worker, 'message', { signal: timeout.signal })) as [Answer]
      idle = setTimeout(end, IDLE_MS).unref()
      if ('done' in answer) return answer.done
      throw deserializeError(answer.refused)
    } catch (error) {
      if (!(error instanceof ApiError)) end()
      throw timeout.signal.aborted ? new ThreadTimeout(`They took longer than ${TIMEOUT_MS} ms.`) : error
    } finally {
      clearTimeout(timer)
    }
  }

  return {
    waiting: () => waiting,
    run<K extends Kind>(kind: K, ...args: Parameters<(typeof WORK)[K]>): Promise<Result<K>> {
      waiting++
      const asked = performance.now()
      const turn = last.then(() => {
        if (performance.now() - asked > patience) throw new QueueTimeout()
        return inThread({ kind, args }) as Promise<Result<K>>
      })
      last = turn.catch(() => {})
      return turn.finally(() => waiting--)
    },
  }
}

async function start(): Promise<Worker> {
  const worker = open()
  worker.unref()
  await once(worker, 'message')
  return worker
}

const THREAD = 'rules'

/** Runs this file in a thread. In a checkout the thread must first register the TypeScript loader, as the process did. */
function open(): Worker {
  if (!import.meta.url.endsWith('.ts')) return new Worker(new URL('./rule-thread.js', import.meta.url), { workerData: THREAD })
  const entry = JSON.stringify(import.meta.url)
  return new Worker(`import('tsx/esm/api').then(({ tsImport }) => tsImport(${entry}, ${entry}))`, {
    eval: true,
    workerData: THREAD,
  })
}

function answerOf({ kind, args }: Message): Answer {
  try {
    return { done: (WORK[kind] as (...args: unknown[]) => unknown)(...args) }
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return { refused: serializeError(error) }
  }
}

if (parentPort && workerData === THREAD) {
  const port = parentPort
  port.on('message', (message: Message) => port.postMessage(answerOf(message)))
  port.postMessage('ready')
}
