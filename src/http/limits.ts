import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import { rateLimited } from '../contract/errors.ts'

export interface Rate {
  points: number
  seconds: number
}

/** `null` switches a limit off. */
export interface Rates {
  requests: Rate | null
  taskWrites: Rate | null
  webhooks: Rate | null
  /** Attempts to sign in as one person from one place; five times as many from one place or as one person. */
  signIns: Rate | null
}

/** Counts `key` and throws 429 once its window is full. */
export type Limit = (key: string) => Promise<void>

export interface Limits {
  requests: Limit
  taskWrites: Limit
  webhooks: Limit
  signIns: Limit
  signInsWide: Limit
  close(): void
}

/** Counted in this process, or in Redis for all nodes; when Redis is away each node counts for itself and requests go on. */
export function openLimits(rates: Rates, redisUrl: string | undefined, log: Logger): Limits {
  const shared = redisUrl === undefined ? undefined : connect(redisUrl, log)
  const limit = (name: keyof Limits, rate: Rate | null): Limit => {
    if (rate === null) return async () => {}
    const options = { points: rate.points, duration: rate.seconds, keyPrefix: `goldmaster:${name}` }
    const own = new RateLimiterMemory(options)
    const ours = shared && new RateLimiterRedis({ ...options, storeClient: shared.redis })
    const consume = async (key: string) => {
      if (!ours || !(await shared.answers())) return own.consume(key)
      return ours.consume(key).catch((refused) => {
        if (!(refused instanceof Error)) throw refused
        shared.failed(refused)
        return own.consume(key)
      })
    }
    return async (key) => {
      try {
        await consume(key)
      } catch (refused) {
        if (refused instanceof Error) throw refused
        throw rateLimited(Math.max(1, Math.ceil((refused as RateLimiterRes).msBeforeNext / 1000)))
      }
    }
  }
  return {
    requests: limit('requests', rates.requests),
    taskWrites: limit('taskWrites', rates.taskWrites),
    webhooks: limit('webhooks', rates.webhooks),
    signIns: limit('signIns', rates.signIns),
    signInsWide: limit('signInsWide', rates.signIns && { ...rates.signIns, points: rates.signIns.points * 5 }),
    close: () => shared?.redis.disconnect(),
  }
}

const LOG_EVERY_MS = 10_000
/** How long a Redis that hangs is left alone, so that not every request waits for it. */
const PAUSE_MS = 5_000

interface Shared {
  redis: Redis
  /** Whether it may be asked now; the first requests wait until it is known. */
  answers(): Promise<boolean>
  failed(error: Error): void
}

function connect(url: string, log: Logger): Shared {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: 2_000,
    commandTimeout: 2_000,
    retryStrategy: (attempt) => Math.min(attempt * 200, 2_000),
  })
  let said = 0
  let paused = 0
  const failed = (error: Error) => {
    paused = Date.now() + PAUSE_MS
    if (Date.now() - said < LOG_EVERY_MS) return
    said = Date.now()
    log.warn({ error: error.message }, 'redis does not answer: limits are counted per node')
  }
  redis.on('error', failed)
  redis.on('ready', () => {
    paused = 0
    log.info('redis answers: limits are shared')
  })
  const known = new Promise<void>((resolve) => {
    redis.once('ready', resolve)
    redis.once('error', () => resolve())
    redis.once('end', resolve)
  })
  const answers = async () => {
    await known
    return redis.status === 'ready' && Date.now() >= paused
  }
  return { redis, answers, failed }
}
