import { openDatabase, raw } from '../../../src/db/database.ts'
import { type Measured, openMeasured } from '../measured.ts'
import { fillGrown, type Grown } from './data.ts'
import { growthRequests, type Records } from './requests.ts'

export interface Growth {
  name: string
  status: number
  /** Pages read. */
  small: number
  large: number
  /** Of the large one. */
  statements: Measured['statements']
}

export interface Sized {
  url: string
  /** The number of tasks; the rest is in proportion. */
  size: number
}

interface Asked {
  /** Every value of every filter. */
  full: boolean
  /** Settings of the planning session. */
  planner?: string
  /** A request that reads no more pages than this of the large database is not sent to the small one. */
  fewPages?: number
}

/** Sends the same requests to two databases of different sizes, and returns how much each request read in either. */
export async function measureGrowth(small: Sized, large: Sized, asked: Asked): Promise<Growth[]> {
  const recent = small.size / 2
  const after = await measureAll(large, recent, asked)
  const before = await measureAll(small, recent, asked, (name) => (after.get(name)?.buffers ?? 0) > (asked.fewPages ?? -1))
  return [...after].map(([name, { status, buffers, statements }]) => ({
    name,
    status: Math.max(status, before.get(name)?.status ?? 0),
    small: before.get(name)?.buffers ?? 0,
    large: buffers,
    statements,
  }))
}

async function measureAll(
  { url, size }: Sized,
  recent: number,
  { full, planner }: Asked,
  isWanted: (name: string) => boolean = () => true,
): Promise<Map<string, Measured>> {
  const grown = await fillGrown(url, size, recent)
  const records = await recordsOf(url)
  const measured = await openMeasured(url, planner)
  try {
    const headers = { token: { authorization: `Bearer ${grown.token}` }, session: { cookie: await signIn(measured, grown) } }
    const found = new Map<string, Measured>()
    for (const { name, path, by } of growthRequests(records, grown.moments, full))
      if (isWanted(name)) found.set(name, await measured.ask(path, headers[by]))
    return found
  } finally {
    await measured.close()
  }
}

type Service = Awaited<ReturnType<typeof openMeasured>>

export async function signIn({ app }: Service, { email, password }: Grown): Promise<string> {
  const answer = await app.inject({
    method: 'POST',
    url: '/app/auth/sign-in/email',
    headers: { 'sec-fetch-site': 'same-origin' },
    payload: { email, password },
  })
  if (answer.statusCode !== 200) throw new Error(`Signing in: ${answer.statusCode} ${answer.body}`)
  return answer.cookies.map(({ name, value }) => `${name}=${encodeURIComponent(value)}`).join('; ')
}

const BY_TIME = {
  tasks: 'created_at',
  build_runs: 'created_at',
  changes: 'timestamp',
  assets: 'created_at',
  approvals: 'created_at',
  deployments: 'created_at',
  breakages: 'opened_at',
}

/** The newest and the oldest record of each kind in the large project; for builds also the newest failed one on its main branch. */
export async function recordsOf(url: string): Promise<Records> {
  const db = openDatabase(url, { max: 1 })
  const ends = async (table: keyof typeof BY_TIME, where = '') => {
    const end = (way: string) =>
      `(select id::text from ${table} where project_id = 1 ${where} order by ${BY_TIME[table]} ${way}, id ${way} limit 1)`
    return (await db.rows<{ id: string }>(raw(`${end('desc')} union all ${end('asc')}`))).map(({ id }) => id)
  }
  try {
    const records: Records = {}
    for (const table of Object.keys(BY_TIME) as (keyof typeof BY_TIME)[]) records[table] = await ends(table)
    const [failed] = await ends('build_runs', `and status = 'failed' and branch = 'main'`)
    records.build_runs!.push(failed!)
    // The chat channel; destination 1 is a webhook.
    records.channels = ['2']
    return records
  } finally {
    await db.close()
  }
}
