import type { FastifyInstance, FastifyRequest } from 'fastify'
import { badSignature, invalidParameter, notFound } from '../../contract/errors.ts'
import { type RawQuery, readId } from '../../contract/params.ts'
import { sql } from '../../db/database.ts'
import type { IntegrationAuth } from '../../domain/integrations/webhook-access.ts'
import { stripNul } from '../../intake/strip-nul.ts'
import { receiveTests } from '../../intake/test-results/receive-tests.ts'
import type { Service } from '../service.ts'
import { admission } from './admission.ts'
import { BUILD_ENTRY } from './build-entry.ts'
import { isSigned, nameOf } from './log-stream.ts'

const BODY_LIMIT = 26 * 1024 * 1024
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
        const upload = { ...place, contentType: request.headers['content-type'] ?? '' }
        return await receiveTests(service.intake, integration, upload, (request.body as Buffer | undefined) ?? Buffer.alloc(0))
      } finally {
        request.memory?.release()
      }
    },
  })
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
