import type { FastifyInstance } from 'fastify'
import { invalidGrant } from '../../contract/errors.ts'
import * as loginCodes from '../../domain/access/login-codes.ts'
import { captureRefusal } from '../routes/capture-refusal.ts'
import { jsonOf } from '../routes/request-body.ts'
import type { Service } from '../service.ts'

const DEVICE_MAX = 80
const FIELD_MAX = 500

/** The end of a CLI login: the code from the consent page is exchanged for a token. Every failure gets the same response. */
export function serveLogin(app: FastifyInstance, { db, site }: Service) {
  app.post('/api/v1/cli/token_exchange', async (request, reply) => {
    const [body] = captureRefusal(() => jsonOf(request))
    const exchange = readExchange(body)
    if (!exchange) throw invalidGrant()
    const grant = await loginCodes.exchange(db, { ...exchange, ip_address: request.ip }, site)
    if (!grant) throw invalidGrant()
    return reply
      .code(201)
      .header('cache-control', 'no-store')
      .send({ ...grant, token_type: 'Bearer' })
  })
}

function readExchange(body: unknown): Omit<loginCodes.Exchange, 'ip_address'> | undefined {
  const { code, code_verifier, device_name } = (body ?? {}) as Record<string, unknown>
  if (!isText(code) || !isText(code_verifier)) return undefined
  if (device_name === undefined || device_name === null || device_name === '') return { code, code_verifier }
  return isText(device_name) ? { code, code_verifier, device_name: device_name.slice(0, DEVICE_MAX) } : undefined
}

const isText = (value: unknown): value is string =>
  typeof value === 'string' && value.length > 0 && value.length <= FIELD_MAX && !value.includes('\0')
