import cluster from 'node:cluster'
import { Redis } from 'ioredis'
import type { Logger } from 'pino'
import { RateLimiterCluster, RateLimiterMemory, RateLimiterRedis, type RateLimiterRes } from 'rate-limiter-flexible'
import { ApiError, rateLimited } from '../../contract/errors.ts'

export interface Rate {
  points: number
  seconds: number
}

/** `null` disables a limit. */
export interface Rates {
  requests: Rate | null
  taskWrites: Rate | null
  /** Comments and files of one person. */
  comments: Rate | null
  webhooks: Rate | null
  /** Requests of Unreal Game Sync with one token, which a whole studio shares. */
  ugs: Rate | null
  /** Sign-in attempts as one person from one address; five times as many per address in total. */
  signIns: Rate | null
}

/** Counts `key` and throws 429 once its window is full. */
type Limit = (key: string) => Promise<void>

/** The setting of each limit. */
const SETTINGS = {
  requests: 'LIMIT_REQUESTS_PER_IP',
  taskWrites: 'LIMIT_TASK_WRITES',
  comments: 'LIMIT_COMMENTS',
  webhooks: 'LIMIT_WEBHOOKS',
  ugs: 'LIMIT_UGS',
  signIns: 'LIMIT_SIGN_INS',
} as const satisfies Record<keyof Rates, string>

export interface Limits {
  /** How many were refused, by the setting that would allow them. */
  refused: Record<string, number>
  requests: Limit
  taskWrites: Limit
  comments: Limit
  webhooks: Limit
  ugs: Limit
  signIns: Limit
  signInsWide: Limit
  /** Sign-in attempts as one person from anywhere: the more there are, the fewer each address has, but never none. */
  signInsAs(who: string, place: string): Promise<void>
  close(): void
}

/** How many times more all callers together may do than one. */
const WIDE = 5
/** Pressure on one person is measured over an hour, while the window of a limit is five minutes. */
const GROWING_WINDOWS = 12

const REDIS_TIMEOUT_MS = 2_000

/** How long to wait for the first process; after that this one counts by itself. */
const PRIMARY_TIMEOUT_MS = 2_000

/** Counted by this process, or by the node's first one if there are several: a limit is the same for any number of processes. */
function ownCounter(options: { points: number; duration: number; keyPrefix: string }) {
  const own = new RateLimiterMemory(options)
  if (!cluster.isWorker) return own
  const shared = new RateLimiterCluster({ ...options, timeoutMs: PRIMARY_TIMEOUT_MS })
  return {
    consume: (key: string, points: number) =>
      shared.consume(key, points).catch((refused) => {
        if (!(refused instanceof Error)) throw refused
        return own.consume(key, points)
      }),
  }
}

/** Counted in this node, or in Redis for all nodes; if Redis is unreachable each node counts by itself and requests continue. */
export function openLimits(rates: Rates, redisUrl: string | undefined, log: Logger, redisTimeout = REDIS_TIMEOUT_MS): Limits {
  const shared = redisUrl === undefined ? undefined : connect(redisUrl, log, redisTimeout)
  const counter = (name: string, rate: Rate) => {
    const options = { points: rate.points, duration: rate.seconds, keyPrefix: `goldmaster:${name}` }
    const own = ownCounter(options)
    const ours = shared && new RateLimiterRedis({ ...options, storeClient: shared.redis })
    const consume = async (key: string, points: number) => {
      if (!ours || !(await shared.answers())) return own.consume(key, points)
      return ours.consume(key, points).catch((refused) => {
        if (!(refused instanceof Error)) throw refused
        shared.failed(refused)
        return own.consume(key, points)
      })
    }
    /** Returns the current count. */
    return async (key: string, points = 1): Promise<number> => {
      try {
        return (await consume(key, points)).consumedPoints
      } catch (refused) {
        if (refused instanceof Error) throw refused
        // The counter expires by a timer but computes with the time of day, which may have been set back meanwhile.
        const seconds = Math.ceil((refused as RateLimiterRes).msBeforeNext / 1000)
        throw rateLimited(Math.min(Math.max(1, seconds), rate.seconds))
      }
    }
  }
  const refused: Limits['refused'] = Object.fromEntries(Object.values(SETTINGS).map((setting) => [setting, 0]))
  const tell = openRefusalLog(log)
  const limit = (name: string, rate: Rate | null, kind = name as keyof Rates): Limit => {
    const count = rate && counter(name, rate)
    return async (key) => {
      await count?.(key).catch((error: unknown) => {
        if (!(error instanceof ApiError)) throw error
        const setting = SETTINGS[kind]
        refused[setting]! += 1
        settings.set(error, setting)
        // The log does not record whose account somebody tried.
        tell(setting, kind === 'signIns' ? undefined : key)
        throw error
      })
    }
  }
  const growing = (rate: Rate | null): Limits['signInsAs'] => {
    if (rate === null) return async () => {}
    const seconds = rate.seconds * GROWING_WINDOWS
    const everywhere = counter('signInsEverywhere', { points: Number.MAX_SAFE_INTEGER, seconds })
    const somewhere = counter('signInsSomewhere', { points: rate.points, seconds })
    return async (who, place) => {
      const pressure = (await everywhere(who)) / (rate.points * WIDE)
      // An address without earlier attempts can always try: a stranger cannot lock anybody out from elsewhere.
      if (pressure > 1) await somewhere(`${place} ${who}`, Math.min(rate.points, 2 ** Math.floor(Math.log2(pressure))))
    }
  }
  return {
    refused,
    requests: limit('requests', rates.requests),
    taskWrites: limit('taskWrites', rates.taskWrites),
    comments: limit('comments', rates.comments),
    webhooks: limit('webhooks', rates.webhooks),
    ugs: limit('ugs', rates.ugs),
    signIns: limit('signIns', rates.signIns),
    signInsWide: limit('signInsWide', rates.signIns && { ...rates.signIns, points: rates.signIns.points * WIDE }, 'signIns'),
    signInsAs: growing(rates.signIns),
    close: () => shared?.redis.disconnect(),
  }
}

const settings = new WeakMap<object, string>()
/** The setting that would have allowed the request, if a limit refused it. */
export const settingOf = (refusal: object): string | undefined => settings.get(refusal)

const REFUSALS_LOGGED_MS = 60_000

/** Logs for the operator who was refused, at most once a minute per setting. */
function openRefusalLog(log: Logger) {
  const logged = new Map<string, { at: number; refused: number }>()
  return (setting: string, by: string | undefined) => {
    const last = logged.get(setting) ?? { at: Number.NEGATIVE_INFINITY, refused: 0 }
    last.refused++
    logged.set(setting, last)
    if (performance.now() - last.at < REFUSALS_LOGGED_MS) return
    log.warn({ setting, by, refused: last.refused }, `rate limit reached; raise ${setting} if these requests are legitimate`)
    logged.set(setting, { at: performance.now(), refused: 0 })
  }
}

const LOG_EVERY_MS = 10_000
/** How long a hanging Redis is not used, so that not every request waits for it. */
const PAUSE_MS = 5_000

interface Shared {
  redis: Redis
  /** Whether it can be used now; the first requests wait until that is known. */
  answers(): Promise<boolean>
  failed(error: Error): void
}

function connect(url: string, log: Logger, timeout: number): Shared {
  const redis = new Redis(url, {
    enableOfflineQueue: false,
    maxRetriesPerRequest: 0,
    connectTimeout: timeout,
    commandTimeout: timeout,
    retryStrategy: (attempt) => Math.min(attempt * 200, 2_000),
  })
  let said = Number.NEGATIVE_INFINITY
  let paused = 0
  const failed = (error: Error) => {
    paused = performance.now() + PAUSE_MS
    if (performance.now() - said < LOG_EVERY_MS) return
    said = performance.now()
    log.warn({ error: error.message }, 'redis does not respond; counting rate limits per node')
  }
  redis.on('error', failed)
  redis.on('ready', () => {
    paused = 0
    log.info('redis responds again; sharing rate limits between nodes')
  })
  const known = new Promise<void>((resolve) => {
    redis.once('ready', resolve)
    redis.once('error', () => resolve())
    redis.once('end', resolve)
  })
  const answers = async () => {
    await known
    return redis.status === 'ready' && performance.now() >= paused
  }
  return { redis, answers, failed }
}
