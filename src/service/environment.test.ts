import { writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { scratch } from '../../test/support/stand-in.ts'
import { RETENTION_DEFAULTS } from '../domain/accounts/retention-days.ts'
import { readEnvironment, SECRET_SETTINGS } from './environment.ts'

test("an empty environment is a laptop: embedded database, demo, loopback, the API's limits", () => {
  expect(readEnvironment({})).toMatchObject({
    host: '127.0.0.1',
    port: 8080,
    site: 'http://localhost:8080',
    dataDir: './data',
    databaseUrl: undefined,
    replicaUrl: undefined,
    redisUrl: undefined,
    objectStore: undefined,
    secretKey: undefined,
    previousKey: undefined,
    securityContact: undefined,
    demo: true,
    metering: false,
    rates: {
      requests: { points: 300, seconds: 300 },
      taskWrites: { points: 60, seconds: 60 },
      comments: { points: 120, seconds: 60 },
      webhooks: { points: 600, seconds: 60 },
    },
    trustProxy: [],
    logLevel: 'info',
    workers: 1,
    jobs: true,
    jobConcurrency: 6,
    connections: undefined,
    statementTimeout: 5_000,
    healthPort: undefined,
  })
})

test('an object store is configured by its bucket, and needs its keys', () => {
  const given = {
    OBJECT_STORE_URL: 'http://minio:9000/bucket/gold',
    OBJECT_STORE_ACCESS_KEY: 'me',
    OBJECT_STORE_SECRET_KEY: 'hush',
  }
  expect(readEnvironment(given).objectStore).toEqual({
    url: 'http://minio:9000/bucket/gold',
    region: 'us-east-1',
    accessKey: 'me',
    secretKey: 'hush',
  })
  expect(() => readEnvironment({ ...given, OBJECT_STORE_SECRET_KEY: '' })).toThrow(/^OBJECT_STORE_SECRET_KEY is required/)
})

test('the session length and the password check are configurable', () => {
  expect(readEnvironment({})).toMatchObject({ sessionSeconds: 14 * 86_400, breachedPasswords: 'builtin' })
  expect(readEnvironment({ SESSION_LENGTH: '12h', BREACHED_PASSWORDS: 'off' })).toMatchObject({
    sessionSeconds: 12 * 3600,
    breachedPasswords: 'off',
  })
  for (const SESSION_LENGTH of ['0d', '91d', '2w', '14', 'forever'])
    expect(() => readEnvironment({ SESSION_LENGTH })).toThrow(/^SESSION_LENGTH must be a time from 1h to 90d/)
  expect(() => readEnvironment({ BREACHED_PASSWORDS: '/nowhere/at/all' })).toThrow(
    /^BREACHED_PASSWORDS must be builtin, off or a readable file/,
  )
  expect(() => readEnvironment({ BREACHED_PASSWORDS: import.meta.filename })).toThrow(
    /^BREACHED_PASSWORDS must be a file with a SHA-1/,
  )
})

test('the use of the machine is configurable', () => {
  const given = {
    WORKERS: '4',
    JOBS: 'off',
    JOB_CONCURRENCY: '12',
    DATABASE_CONNECTIONS: '60',
    STATEMENT_TIMEOUT: '8s',
    HEALTH_PORT: '81',
  }
  expect(readEnvironment(given)).toMatchObject({
    workers: 4,
    jobs: false,
    jobConcurrency: 12,
    connections: 60,
    statementTimeout: 8_000,
    healthPort: 81,
  })
  const traced = {
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c:4318/',
    OTEL_EXPORTER_OTLP_HEADERS: 'a=b%20c, d=e',
    OTEL_TRACES_SAMPLER_ARG: '0.1',
  }
  const tracing = { endpoint: 'http://c:4318', headers: { a: 'b c', d: 'e' }, service: 'goldmaster', ratio: 0.1 }
  expect(readEnvironment(traced)).toMatchObject({ tracing })
  expect(() => readEnvironment({ ...traced, OTEL_TRACES_SAMPLER_ARG: '2' })).toThrow(/^OTEL_TRACES_SAMPLER_ARG /)
  expect(readEnvironment({ WORKERS: 'auto' }).workers).toBe(availableParallelism())
  expect(() => readEnvironment({ WORKERS: '0' })).toThrow('WORKERS must be a number from 1 to 64, or auto; not "0".')
  expect(() => readEnvironment({ STATEMENT_TIMEOUT: '5m' })).toThrow(/^STATEMENT_TIMEOUT /)
})

test('an empty variable counts as absent', () => {
  const names = [
    'PORT',
    'HOST',
    'BASE_URL',
    'DATABASE_URL',
    'DATABASE_REPLICA_URL',
    'REDIS_URL',
    'SECRET_KEY',
    'SECRET_KEY_PREVIOUS',
    'DEMO',
    'METERING',
    'LIMIT_WEBHOOKS',
    'LIMIT_UGS',
    'LIMIT_STREAMS_PER_TOKEN',
    'TRUST_PROXY',
    'LOG_LEVEL',
  ]
  expect(readEnvironment(Object.fromEntries(names.map((name) => [name, ''])))).toEqual(readEnvironment({}))
})

test('given values are used', () => {
  expect(
    readEnvironment({
      PORT: '0',
      HOST: '::',
      BASE_URL: 'https://gold.example/studio//',
      DATABASE_URL: 'postgresql://me@db/gold',
      DATABASE_REPLICA_URL: 'postgresql://me@standby/gold',
      REDIS_URL: 'rediss://cache:6380/1',
      SECRET_KEY: 'k'.repeat(32),
      LIMIT_REQUESTS_PER_IP: 'off',
      LIMIT_TASK_WRITES: '5/s',
      LIMIT_WEBHOOKS: '1000/2h',
      LIMIT_UGS: '9/3s',
      LIMIT_STREAMS_PER_TOKEN: '25',
      TRUST_PROXY: '10.0.0.0/8, ::1,loopback',
      LOG_LEVEL: 'silent',
      DATA_DIR: '/srv/gold',
    }),
  ).toMatchObject({
    port: 0,
    host: '::',
    site: 'https://gold.example/studio',
    databaseUrl: 'postgresql://me@db/gold',
    replicaUrl: 'postgresql://me@standby/gold',
    redisUrl: 'rediss://cache:6380/1',
    demo: false,
    rates: {
      requests: null,
      taskWrites: { points: 5, seconds: 1 },
      webhooks: { points: 1000, seconds: 7200 },
      ugs: { points: 9, seconds: 3 },
    },
    streamsPerToken: 25,
    trustProxy: ['10.0.0.0/8', '::1', 'loopback'],
    logLevel: 'silent',
    dataDir: '/srv/gold',
  })
})

test('the demo depends on the database by default', () => {
  const DATABASE_URL = 'postgres://db/gold'
  expect(readEnvironment({ DATABASE_URL }).demo).toBe(false)
  expect(readEnvironment({ DATABASE_URL, DEMO: 'on' }).demo).toBe(true)
  expect(readEnvironment({ DEMO: 'off' }).demo).toBe(false)
})

test('in production an external database needs a key', () => {
  const DATABASE_URL = 'postgres://db/gold'
  expect(() => readEnvironment({ DATABASE_URL, NODE_ENV: 'production' })).toThrow(/^SECRET_KEY /)
  expect(readEnvironment({ DATABASE_URL, NODE_ENV: 'production', SECRET_KEY: 'k'.repeat(32) }).databaseUrl).toBe(DATABASE_URL)
  expect(readEnvironment({ NODE_ENV: 'production' }).databaseUrl).toBe(undefined)
})

test.each([
  ['PORT', 'eighty'],
  ['PORT', '-1'],
  ['PORT', '70000'],
  ['PORT', '80.5'],
  ['DATABASE_URL', 'mysql://me:hush@db/gold'],
  ['DATABASE_URL', 'gold'],
  ['DATABASE_URL', 'postgres://me:hush@[::bad/gold'],
  ['DATABASE_DIRECT_URL', 'postgres://me:hush@alone/gold'],
  ['DATABASE_URL', 'postgres://me:hush@a,b:99999/gold'],
  ['DATABASE_URL', 'postgres://me:hush@a,b/gold?target_session_attrs=standby'],
  ['DATABASE_REPLICA_URL', 'mysql://me:hush@db/gold'],
  ['DATABASE_REPLICA_URL', 'postgres://me:hush@db:99999/gold'],
  ['DATABASE_REPLICA_URL', 'postgres://me:hush@alone/gold'],
  ['REDIS_URL', 'localhost:6379'],
  ['BASE_URL', 'gold.example'],
  ['BASE_URL', 'ftp://gold.example'],
  ['BASE_URL', 'http://'],
  ['REDIS_URL', 'redis://:hush@[::bad'],
  ['LLM_URL', 'https://'],
  ['OBJECT_STORE_URL', 's3://bucket'],
  ['OBJECT_STORE_URL', 'https://s3.example'],
  ['OBJECT_STORE_URL', 'https://me:hush@s3.example/bucket'],
  ['OBJECT_STORE_URL', 'https://s3.example/my bucket'],
  ['OBJECT_STORE_URL', 'https://s3.example/bucket?versioning'],
  ['SECRET_KEY', 'hush'],
  ['SECURITY_CONTACT', 'somebody'],
  ['SECRET_KEY_PREVIOUS', 'hush'],
  ['DEMO', 'yes'],
  ['METERING', 'yes'],
  ['LIMIT_REQUESTS_PER_IP', '300'],
  ['LIMIT_REQUESTS_PER_IP', 'many/5m'],
  ['LIMIT_TASK_WRITES', '0/1m'],
  ['LIMIT_TASK_WRITES', '60/0m'],
  ['LIMIT_WEBHOOKS', '1/1d'],
  ['TRUST_PROXY', 'proxy.example'],
  ['TRUST_PROXY', '10.0.0.1/x'],
  ['TRUST_PROXY', '10.0.0.1/33'],
  ['ALLOW_PRIVATE_HOSTS', 'http://ci.internal'],
  ['ALLOW_PRIVATE_HOSTS', '10.0.0.0/33'],
  ['ALLOW_PRIVATE_HOSTS', 'jenkins:'],
  ['ALLOW_PRIVATE_HOSTS', 'jenkins:8080'],
  ['ALLOW_PRIVATE_HOSTS', 'mail:smtp.internal'],
  ['ALLOW_PRIVATE_HOSTS', 'ci.internal:70000'],
  ['ALLOW_PRIVATE_HOSTS', 'webhooks:10.0.0.0/8/8'],
  ['LOG_LEVEL', 'loud'],
  ['RETENTION', 'bodies=30'],
  ['RETENTION', 'bodies=0d'],
  ['RETENTION', 'toString=1d'],
  ['RETENTION', 'bodies=30d;logs=off'],
  ['BACKUP_PASSPHRASE', 'hush'],
])('%s=%s is refused with one line that names it and reveals no secret', (name, value) => {
  const refused = () => readEnvironment({ [name]: value })
  expect(refused).toThrow(new RegExp(`^${name} [^\\n]+$`))
  expect(refused).not.toThrow(/hush/)
})

test('backups are enabled by their destination, and need a passphrase', () => {
  const given = { BACKUP_TO: '/mnt/backups', BACKUP_PASSPHRASE: 'correct horse battery' }
  expect(readEnvironment({}).backups).toBeUndefined()
  expect(readEnvironment({ BACKUP_PASSPHRASE: given.BACKUP_PASSPHRASE }).backups).toBeUndefined()
  expect(readEnvironment(given).backups).toEqual({
    to: '/mnt/backups',
    prefix: undefined,
    at: ['02:30'],
    keep: { daily: 7, weekly: 4, monthly: 6 },
    test: 'restore',
    passphrase: 'correct horse battery',
  })
  const store = { OBJECT_STORE_URL: 'http://minio/bucket', OBJECT_STORE_ACCESS_KEY: 'me', OBJECT_STORE_SECRET_KEY: 'hush' }
  const chosen = {
    BACKUP_TO: 'object-store:gold/nightly',
    BACKUP_AT: '00:00, 12:30',
    BACKUP_KEEP: 'daily=30,monthly=0',
    BACKUP_TEST: 'read',
  }
  expect(readEnvironment({ ...given, ...store, ...chosen }).backups).toMatchObject({
    to: 'object-store:gold/nightly',
    prefix: 'gold/nightly',
    at: ['00:00', '12:30'],
    keep: { daily: 30, weekly: 4, monthly: 0 },
    test: 'read',
  })
  const refused = (more: Record<string, string>) => () => readEnvironment({ ...given, ...more })
  expect(refused({ BACKUP_PASSPHRASE: '' })).toThrow('BACKUP_PASSPHRASE is required with BACKUP_TO.')
  expect(refused({ BACKUP_PASSPHRASE: 'two lines\nof a passphrase' })).toThrow(/^BACKUP_PASSPHRASE must be one line/)
  expect(refused({ BACKUP_TO: 'object-store:gold' })).toThrow(/^OBJECT_STORE_URL is required/)
  expect(refused({ BACKUP_TO: 'object-store:../x y' })).toThrow(/^BACKUP_TO must be a folder, or/)
  for (const at of ['24:00', '2:30', 'noon']) expect(refused({ BACKUP_AT: at })).toThrow(/^BACKUP_AT must be times of day/)
  for (const keep of ['7', 'daily=many', 'hourly=3'])
    expect(refused({ BACKUP_KEEP: keep })).toThrow(/^BACKUP_KEEP must be a list/)
  expect(refused({ BACKUP_TEST: 'no' })).toThrow(/^BACKUP_TEST must be one of restore, read/)
})

test('private hosts can be allowed for one use and on one port', () => {
  const list = [
    'jenkins:10.0.0.0/8',
    'webhooks:hooks.internal',
    'perforce:p4.internal:1666',
    'jenkins:fd00::/8',
    '[fd00::1]:8080',
  ]
  expect(readEnvironment({ ALLOW_PRIVATE_HOSTS: list.join(',') }).allowPrivateHosts).toEqual(list)
})

test('private hosts can be names, addresses and ranges', () => {
  const ALLOW_PRIVATE_HOSTS = 'ci.internal, 10.0.0.0/8,fd00::/8 ,192.168.1.5'
  expect(readEnvironment({ ALLOW_PRIVATE_HOSTS }).allowPrivateHosts).toEqual([
    'ci.internal',
    '10.0.0.0/8',
    'fd00::/8',
    '192.168.1.5',
  ])
  expect(readEnvironment({}).allowPrivateHosts).toEqual([])
})

test('retention lists what differs from the defaults', () => {
  expect(readEnvironment({ RETENTION: 'bodies=14d, logs=365d,deliveries=off' }).retention).toEqual({
    ...RETENTION_DEFAULTS,
    bodies: 14,
    logs: 365,
    deliveries: null,
  })
  expect(readEnvironment({}).retention).toEqual(RETENTION_DEFAULTS)
})

test('every secret can be read from a mounted file, and is refused if given twice or missing', () => {
  const { folder, remove } = scratch()
  const file = join(folder, 'value')
  const write = (value: string) => writeFileSync(file, `${value}\n`)
  const VALUES: Record<string, [value: string, beside: Record<string, string>]> = {
    DATABASE_URL: ['postgres://gold:hush@db/gold', {}],
    DATABASE_DIRECT_URL: ['postgres://gold:hush@db/gold', { DATABASE_URL: 'postgres://pooler/gold' }],
    DATABASE_REPLICA_URL: ['postgres://gold:hush@db/gold', { DATABASE_URL: 'postgres://db/gold' }],
    SECRET_KEY: ['k'.repeat(40), {}],
    SECRET_KEY_PREVIOUS: ['k'.repeat(40), {}],
    REDIS_URL: ['redis://:hush@redis', {}],
    SMTP_URL: ['smtp://me:hush@mail', { MAIL_FROM: 'gold@example.com' }],
    LLM_KEY: ['hush', { LLM_URL: 'https://llm.example', LLM_MODEL: 'm' }],
    OBJECT_STORE_ACCESS_KEY: ['me', { OBJECT_STORE_URL: 'http://minio/bucket', OBJECT_STORE_SECRET_KEY: 'hush' }],
    OBJECT_STORE_SECRET_KEY: ['hush', { OBJECT_STORE_URL: 'http://minio/bucket', OBJECT_STORE_ACCESS_KEY: 'me' }],
    OTEL_EXPORTER_OTLP_HEADERS: ['x-key=hush', { OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318' }],
    BACKUP_PASSPHRASE: ['correct horse battery', { BACKUP_TO: '/mnt/backups' }],
  }
  expect(Object.keys(VALUES)).toEqual(SECRET_SETTINGS)
  for (const [name, [value, beside]] of Object.entries(VALUES)) {
    write(value)
    const fromFile = readEnvironment({ ...beside, [`${name}_FILE`]: file })
    expect(fromFile, name).toEqual(readEnvironment({ ...beside, [name]: value }))
    expect(JSON.stringify(fromFile), name).toContain(value.split('=').at(-1))
    expect(() => readEnvironment({ ...beside, [name]: value, [`${name}_FILE`]: file })).toThrow(`${name}_FILE`)
    expect(() => readEnvironment({ ...beside, [`${name}_FILE`]: join(folder, 'missing') })).toThrow(/_FILE.*ENOENT/)
  }
  remove()
})

test('CORS_ORIGINS is a list of origins, empty by default', () => {
  expect(readEnvironment({}).corsOrigins).toEqual([])
  const origins = ['https://tools.example', 'http://localhost:5173']
  expect(readEnvironment({ CORS_ORIGINS: origins.join(', ') }).corsOrigins).toEqual(origins)
  for (const wrong of ['tools.example', 'https://tools.example/', 'https://a.example/page'])
    expect(() => readEnvironment({ CORS_ORIGINS: wrong })).toThrow(/^CORS_ORIGINS must be a list of origins like/)
})
