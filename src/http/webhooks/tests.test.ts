import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { openTools, type Tools } from '../../../test/support/tools.ts'
import { sql } from '../../db/database.ts'

let tools: Tools
beforeAll(async () => {
  tools = await openTools()
})
afterAll(() => tools.close())

const junit = (cases: string) => `<testsuite name="Ai">${cases}</testsuite>`
const passed = (name: string) => `<testcase classname="Ai" name="${name}" time="0.5"/>`
const failed = (name: string, message = 'too low') =>
  `<testcase classname="Ai" name="${name}"><failure message="${message}"/></testcase>`

let jobs = 0
/** A job whose builds nothing else reports. */
const newJob = () => `Tests ${++jobs}`

const upload = (
  query: Record<string, string>,
  raw: string | Buffer<ArrayBuffer>,
  headers: Record<string, string> = {},
  token = tools.tokenOf('jenkins'),
) =>
  tools.studio.ask(`/webhooks/tests?${new URLSearchParams(query)}`, {
    method: 'POST',
    raw,
    headers: { 'content-type': 'application/xml', 'x-webhook-token': token, ...headers },
  })

const stored = (job: string) =>
  tools.studio.db.rows<{ build_run_id: number | null; passed: number; failed: number; flaky: number }>(sql`
    select b.build_run_id, r.passed, r.failed, r.flaky from test_builds b
    join test_runs r on r.account_id = b.account_id and r.test_build_id = b.id where b.ci_job_name = ${job} order by b.id, r.test_report_id`)

describe('POST /webhooks/tests', () => {
  test('records a report of a known build', async () => {
    const job = newJob()
    const id = (await tools.ci({ job_name: job, build_number: '1', status: 'STARTED' })).json.records[0].id as number
    const answer = await upload({ job_name: job, build_number: '1' }, junit(passed('walks') + failed('jumps')))
    expect(answer).toMatchObject({
      status: 200,
      json: { status: 'recorded', build_run_id: String(id), files: 1, tests: 2, passed: 1, failed: 1 },
    })
    expect(await stored(job)).toEqual([{ build_run_id: id, passed: 1, failed: 1, flaky: 0 }])
    const again = await upload({ build_run_id: String(id) }, junit(passed('swims')))
    expect(again).toMatchObject({ status: 200, json: { build_run_id: String(id), tests: 1 } })
    expect(await stored(job)).toMatchObject([{ passed: 2, failed: 1 }])
  })

  test('records results that arrive before their build, which finds them when it is reported', async () => {
    const job = newJob()
    expect((await upload({ job_name: job, build_number: '1' }, junit(passed('walks')))).json).toMatchObject({
      build_run_id: null,
    })
    const id = (await tools.ci({ job_name: job, build_number: '1', status: 'SUCCESS' })).json.records[0].id as number
    expect(await stored(job)).toMatchObject([{ build_run_id: id, passed: 1 }])
  })

  test('accepts gzip and several files, each once', async () => {
    const job = newJob()
    const form = new FormData()
    form.append('file', new Blob([new Uint8Array(gzipSync(junit(passed('walks'))))]), 'a.xml.gz')
    form.append('file', new Blob([junit(failed('jumps'))]), 'b.xml')
    form.append('note', 'not a file')
    const request = new Request('http://localhost', { method: 'POST', body: form })
    const type = request.headers.get('content-type')!
    const body = Buffer.from(await request.arrayBuffer())
    const send = () => upload({ job_name: job, build_number: '1' }, body, { 'content-type': type })
    expect((await send()).json).toMatchObject({ status: 'recorded', files: 2, tests: 2 })
    expect((await send()).json).toMatchObject({ status: 'duplicate', files: 2, tests: 2 })
    expect(await stored(job)).toMatchObject([{ passed: 1, failed: 1 }])
  })

  test('counts both outcomes as flaky, in whatever order the files come', async () => {
    const job = newJob()
    const send = (cases: string) => upload({ job_name: job, build_number: '1' }, junit(cases))
    await send(failed('jumps') + passed('walks'))
    await send(passed('jumps') + failed('walks'))
    expect(await stored(job)).toMatchObject([{ passed: 0, failed: 0, flaky: 2 }])
    const outcomes = await tools.studio.db.rows<{ name: string; outcome: string }>(sql`
      select c.name, f.outcome from test_failures f join test_cases c on c.account_id = f.account_id and c.id = f.test_case_id
      join test_builds b on b.account_id = f.account_id and b.id = f.test_build_id where b.ci_job_name = ${job} order by c.name`)
    expect(outcomes).toEqual([
      { name: 'jumps', outcome: 'flaky' },
      { name: 'walks', outcome: 'flaky' },
    ])
  })

  test('keeps reports of another name or platform apart', async () => {
    const job = newJob()
    await upload({ job_name: job, build_number: '1' }, junit(passed('walks')))
    await upload({ job_name: job, build_number: '1', report: 'PlayMode' }, junit(failed('walks')))
    expect(await stored(job)).toMatchObject([
      { passed: 1, failed: 0 },
      { passed: 0, failed: 1 },
    ])
  })

  test('records nothing of an upload with a broken file, and names the file and the line', async () => {
    const job = newJob()
    const broken = await upload({ job_name: job, build_number: '1' }, `<testsuite>\n${passed('walks')}`)
    expect(broken).toMatchObject({
      status: 422,
      json: { error: 'unreadable_report', message: "The test report can't be read. Line 2: unclosed tag: testsuite" },
    })
    const body = [
      '--x',
      'content-disposition: form-data; name="file"; filename="a.xml"',
      '',
      junit(passed('walks')),
      '--x',
      'content-disposition: form-data; name="file"; filename="b.xml"',
      '',
      'oops',
      '--x--',
      '',
    ].join('\r\n')
    const several = await upload({ job_name: job, build_number: '1' }, body, {
      'content-type': 'multipart/form-data; boundary=x',
    })
    expect(several).toMatchObject({ status: 422, json: { message: expect.stringContaining("b.xml can't be read. Line 1:") } })
    expect(await stored(job)).toEqual([])
  })

  test.each([
    [{ build_number: '1' }, 422],
    [{ job_name: 'a' }, 422],
    [{ build_run_id: '999999999' }, 404],
    [{ job_name: 'a', build_number: '1', report: 'x'.repeat(101) }, 422],
  ])('refuses %j with %d', async (query, status) => {
    expect(await upload(query as unknown as Record<string, string>, junit(''))).toMatchObject({ status })
  })

  test('refuses the token of a tool that reports no builds, and a multipart body without files', async () => {
    const query = { job_name: 'a', build_number: '1' }
    expect(await upload(query, junit(''), {}, tools.tokenOf('jira'))).toMatchObject({ status: 404 })
    expect(await upload(query, '--x--', { 'content-type': 'multipart/form-data; boundary=x' })).toMatchObject({ status: 422 })
    expect(await upload(query, 'nothing', { 'content-type': 'multipart/form-data; boundary=x' })).toMatchObject({ status: 422 })
  })

  test('stores 5,000 cases in 16 kB per build after the first', async () => {
    const job = newJob()
    const cases = Array.from({ length: 5_000 }, (_, i) => passed(`case ${i}`)).join('')
    for (const number of ['1', '2'])
      expect(await upload({ job_name: job, build_number: number }, junit(cases + failed(`new in ${number}`)))).toMatchObject({
        status: 200,
      })
    const [size] = await tools.studio.db.rows<{ bytes: number }>(sql`
      select octet_length(r.outcomes) + octet_length(r.durations) as bytes from test_runs r
      join test_builds b on b.account_id = r.account_id and b.id = r.test_build_id where b.ci_job_name = ${job} and b.build_number = '2'`)
    expect(size!.bytes).toBeLessThan(16_000)
  })

  /** A body of many packed files. */
  async function packed(files: string[]) {
    const form = new FormData()
    for (const [i, file] of files.entries()) form.append('file', new Blob([new Uint8Array(gzipSync(file))]), `${i}.xml.gz`)
    const request = new Request('http://localhost', { method: 'POST', body: form })
    return { body: Buffer.from(await request.arrayBuffer()), type: request.headers.get('content-type')! }
  }
  const many = (count: number, prefix: string) =>
    junit(Array.from({ length: count }, (_, i) => `<testcase name="${prefix}${i}"/>`).join(''))

  test('limits what all files of an upload unpack to and tell together, and records nothing of one above it', async () => {
    const job = newJob()
    const send = async (number: string, files: string[]) => {
      const { body, type } = await packed(files)
      expect(body.length).toBeLessThan(1024 * 1024)
      return upload({ job_name: job, build_number: number }, body, { 'content-type': type })
    }
    const cases = await send('1', [many(70_000, 'a'), many(70_000, 'b'), many(70_000, 'c')])
    expect(cases).toMatchObject({ status: 422, json: { message: expect.stringContaining('200000 values or test cases') } })
    const blank = junit(' '.repeat(60 * 1024 * 1024))
    const bytes = await send('1', [blank, blank, blank])
    expect(bytes).toMatchObject({ status: 422, json: { message: expect.stringContaining('128 MiB once it is unpacked') } })
    expect(await stored(job)).toEqual([])
    // Small when packed, and too much to be read between other requests.
    expect(await send('2', [many(6_000, 'a'), junit(failed('jumps'))])).toMatchObject({
      status: 200,
      json: { status: 'recorded', files: 2, tests: 6_001, passed: 6_000, failed: 1 },
    })
    expect(await stored(job)).toMatchObject([{ passed: 6_000, failed: 1 }])
    expect(await send('3', [junit('<testcase')])).toMatchObject({ status: 422, json: { error: 'unreadable_report' } })
  })
})
