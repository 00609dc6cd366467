import { randomBytes, randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { openDatabase, sql } from '../../src/db/database.ts'
import { fileKey } from '../../src/db/file-key.ts'
import { folderFiles } from '../../src/domain/files/file-store.ts'
import { Vault } from '../../src/domain/privacy/secrets.ts'
import { loadWorld } from '../../src/world/world.ts'
import type { Cluster } from '../harness/database.ts'
import { startLoad } from '../harness/load.ts'
import { tally, watchMemory } from '../harness/memory.ts'
import { build, SECRET, startGoldmaster } from '../harness/servers.ts'
import { printTable, verdict } from '../harness/table.ts'

const UPLOADS = 10_000
const BYTES = 64 * 1024
const ARTIFACTS_OF_BUILD = 100
const ATTACHMENTS_OF_COMMENT = 10
const MEMORY_MB = 1_700
const QUIET_SECONDS = 5
/** Longer than the flood: its figures are those of the flood and of the quiet after it. */
const LONGEST_SECONDS = 60

const builds = Array.from({ length: UPLOADS / ARTIFACTS_OF_BUILD }, (_, i) => ({
  key: `b${i}`,
  project: 'loud',
  integration: 'jenkins',
  status: 'building',
  ci_job_name: 'Pack',
  build_number: String(i),
}))
const WORLD = {
  accounts: ['loud', 'quiet'].map((key) => ({ key, name: key, plan: 'team', payment_method: true })),
  users: ['loud', 'quiet'].map((key) => ({ key, email: `${key}@bench.example`, name: key, accounts: { [key]: 'owner' } })),
  projects: ['loud', 'quiet'].map((key) => ({ key, account: key, name: key })),
  tokens: [
    { key: 'loud', user: 'loud', name: 'loud', scopes: ['write:comments'] },
    { key: 'quiet', user: 'quiet', name: 'quiet', scopes: ['read:tasks'] },
  ],
  integrations: [{ key: 'jenkins', project: 'loud', provider: 'jenkins' }],
  build_runs: builds,
  tasks: [
    { key: 'loud', project: 'loud', title: 'Upload' },
    ...Array.from({ length: 100 }, (_, i) => ({ key: `t${i}`, project: 'quiet', title: `Task ${i}` })),
  ],
  comments: Array.from({ length: UPLOADS / ATTACHMENTS_OF_COMMENT }, (_, i) => ({
    key: `c${i}`,
    project: 'loud',
    task: 'loud',
    user: 'loud',
    body: 'See',
  })),
}

/** Ten thousand uploads at once from one account: bounded memory, and another account still reads its tasks. */
export async function benchUploads(cluster: Cluster) {
  build()
  const store = await cluster.create('uploads')
  const folder = await mkdtemp(join(tmpdir(), 'goldmaster-bench-'))
  const db = openDatabase(store.url, { max: 1 })
  const world = await loadWorld(db, Readable.from([Buffer.from(JSON.stringify(WORLD))]), { vault: new Vault(SECRET) })
  const server = await startGoldmaster(store.url, { FILES_DIR: folder, LIMIT_COMMENTS: 'off' })
  const load = startLoad()
  const memory = watchMemory(server.pid)
  const list = [
    `GET /api/v1/projects/${world.projects.quiet!.id}/tasks HTTP/1.1`,
    'Host: bench',
    `Authorization: Bearer ${world.tokens.quiet!.token}`,
    '\r\n',
  ].join('\r\n')
  const others = (seconds: number) => load.run({ port: server.port, connections: 4, requests: [list], seconds, most: 1_000_000 })
  const bytes = randomBytes(BYTES)
  const send = (path: string, headers: Record<string, string>, body: Buffer) =>
    new Promise<string>((resolve) => {
      const length = { 'content-type': 'application/octet-stream', 'content-length': body.length }
      const asked = request(
        { port: server.port, path, method: 'POST', agent: false, headers: { ...length, ...headers } },
        (answer) => {
          answer.resume().on('end', () => resolve(String(answer.statusCode)))
        },
      )
      asked.on('error', () => resolve('closed'))
      asked.end(body)
    })
  /** Different bytes, so that each is a file. */
  const fileOf = (i: number) => {
    const own = Buffer.from(bytes)
    own.writeUInt32BE(i)
    return own
  }
  const artifact = (i: number) =>
    send(
      `/webhooks/artifacts?${new URLSearchParams({ job_name: 'Pack', build_number: String(i % builds.length), name: `${i}.bin`, upload: randomUUID(), size: String(BYTES), offset: '0' })}`,
      { 'x-webhook-token': world.integrations.jenkins!.webhook_token },
      fileOf(i),
    )
  const attachment = (i: number) =>
    send(
      `/api/v1/projects/${world.projects.loud!.id}/comments/${world.comments![`c${Math.floor(i / ATTACHMENTS_OF_COMMENT)}`]!.id}/attachments?name=${i}.bin`,
      { authorization: `Bearer ${world.tokens.loud!.token}` },
      fileOf(i + UPLOADS),
    )
  try {
    await others(QUIET_SECONDS)
    const quiet = await others(QUIET_SECONDS)
    const rows: (string | number)[][] = [['nothing', '', 0, quiet.p50, quiet.p99, memory.most(), '']]
    for (const [name, upload] of [
      ['artifacts', artifact],
      ['attachments', attachment],
    ] as const) {
      memory.reset()
      const began = performance.now()
      let seconds = 0
      const flood = Promise.all(Array.from({ length: UPLOADS }, (_, i) => upload(i))).then((answers) => {
        seconds = (performance.now() - began) / 1000
        return answers
      })
      const [answers, outcome] = await Promise.all([flood, others(LONGEST_SECONDS)])
      rows.push([name, tally(answers), seconds, outcome.p50, outcome.p99, memory.most(), verdict(memory.most() < MEMORY_MB)])
    }
    printTable(
      `${UPLOADS} uploads of ${BYTES / 1024} kB at once; another account reads its tasks meanwhile`,
      ['', 'answers', 'seconds', 'others p50 ms', 'p99', 'MB, all processes', ''],
      rows,
    )
    const files = folderFiles(folder)
    const references = await db.rows<{ account_id: number; sha256: Buffer; bytes: number }>(sql`
      select account_id, sha256, bytes from files union all select account_id, sha256, bytes from artifact_pieces`)
    let missing = 0
    for (const { account_id, sha256, bytes } of references)
      if ((await files.read(fileKey(account_id, sha256), 0, bytes))?.length !== bytes) missing++
    console.log(`${references.length} files are referred to, ${missing} of them are missing. ${verdict(missing === 0)}`)
  } finally {
    memory.stop()
    load.stop()
    await server.stop()
    await db.close()
    await store.drop()
    await rm(folder, { recursive: true, force: true })
  }
}
