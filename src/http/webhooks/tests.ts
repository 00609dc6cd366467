import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badRequest, badSignature, invalidParameter, notFound, overloaded } from '../../contract/errors.ts'
import { type RawQuery, readId } from '../../contract/params.ts'
import { sql } from '../../db/database.ts'
import { Gate } from '../../db/gate.ts'
import { scheduleTestJudging } from '../../domain/builds/follow-up-jobs.ts'
import type { IntegrationAuth } from '../../domain/integrations/webhook-access.ts'
import { type Recorded, record, type TestFile } from '../../domain/tests/record.ts'
import { admit } from '../../intake/admission.ts'
import { Unreadable } from '../../intake/reading.ts'
import { stripNul } from '../../intake/strip-nul.ts'
import { readTestFiles } from '../../intake/test-results/read-files.ts'
import type { Service } from '../service.ts'
import { admission } from './admission.ts'
import { BUILD_ENTRY } from './build-entry.ts'
import { isSigned, nameOf } from './log-stream.ts'

const BODY_LIMIT = 26 * 1024 * 1024
/** Another upload of the same job numbers its cases under the same lock. */
const LOCK_TIMEOUT_MS = 10_000
/** Uploads that are read at a time: an unpacked report takes more memory than its body. */
const READING = new Gate({ atOnce: 2, timeout: 30_000, refusal: () => overloaded(10) })
const NAME_MAX = 100

/** Test results of a build, with the webhook token of any tool that reports builds. */
export function serveTests(app: FastifyInstance, service: Service) {
  app.post('/webhooks/tests', {
    onRequest: admission(service, BUILD_ENTRY, BODY_LIMIT),
    handler: async (request) => {
      request.working = true
      try {
        const integration = request.integration!
        if (!isSigned(request, integration)) throw badSignature()
        const place = await placeOf(service, integration, request)
        const files = await READING.enter(0, () => readFiles(request))
        const recorded = await admit(service.intake, integration.account_id, () =>
          service.intake.transaction(
            async (db) => {
              const recorded = await record(db, integration, { ...place, files })
              if (recorded.recorded > 0)
                await scheduleTestJudging(db, { account_id: integration.account_id, id: recorded.test_build_id })
              return recorded
            },
            { lockTimeout: LOCK_TIMEOUT_MS },
          ),
        )
        return replyOf(recorded, files)
      } finally {
        request.memory?.release()
      }
    },
  })
}

async function readFiles(request: FastifyRequest): Promise<TestFile[]> {
  const body = (request.body as Buffer | undefined) ?? Buffer.alloc(0)
  try {
    const files = await readTestFiles(body, request.headers['content-type'] ?? '')
    if (files.length === 0) throw badRequest('No file in the upload.', 422)
    return files
  } catch (error) {
    throw error instanceof Unreadable ? badRequest(error.message, 422) : error
  }
}

/** The build and the report that the query names. */
async function placeOf({ intake }: Service, { account_id, integration_id }: IntegrationAuth, { query }: FastifyRequest) {
  const given = new Map(query as unknown as RawQuery)
  const also = { name: labelOf('report', given), platform: labelOf('platform', given) }
  const id = given.get('build_run_id')
  if (id === undefined) return { job: nameOf('job_name', given), number: nameOf('build_number', given), ...also }
  const build = await intake.one<{ job: string; number: string }>(sql`
    select ci_job_name as job, build_number as number from build_runs
    where account_id = ${account_id} and integration_id = ${integration_id} and id = ${readId(id) ?? 0}`)
  if (!build) throw notFound('Build run')
  if (build.number === '') throw invalidParameter('build_run_id', 'must be a build with a number')
  return { ...build, ...also }
}

function labelOf(name: string, given: ReadonlyMap<string, string>): string {
  const value = stripNul(given.get(name) ?? '').trim()
  if (value.length > NAME_MAX) throw invalidParameter(name, `must have at most ${NAME_MAX} characters`)
  return value
}

function replyOf({ recorded, build_run_id }: Recorded, files: TestFile[]) {
  const outcomes = files.flatMap(({ report }) => report.cases.map(({ outcome }) => outcome))
  const count = (wanted: string) => outcomes.filter((outcome) => outcome === wanted).length
  return {
    status: recorded === 0 ? 'duplicate' : 'recorded',
    build_run_id: build_run_id === null ? null : String(build_run_id),
    files: files.length,
    tests: outcomes.length,
    passed: count('passed'),
    failed: count('failed'),
    errors: count('error'),
    skipped: count('skipped'),
    flaky: count('flaky'),
  }
}
