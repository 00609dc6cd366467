import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { Service } from '../service.ts'
import { settingOf } from './limits.ts'
import { networkOf } from './network.ts'

/** Counts a request that is answered with 429, for whoever runs the service: by its account, as far as that is known, and address. */
export function noteRefusal({ refusedRequests }: Service, error: unknown, { about, ip }: FastifyRequest) {
  if (!(error instanceof ApiError) || error.status !== 429) return
  refusedRequests.add({
    account_id: about?.account_id ?? null,
    address: networkOf(ip),
    reason: settingOf(error) ?? error.code,
  })
}
