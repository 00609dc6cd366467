import type { FastifyRequest } from 'fastify'
import { ApiError } from '../../contract/errors.ts'
import type { Service } from '../service.ts'
import { settingOf } from './limits.ts'
import { networkOf } from './network.ts'

/** Counts a request that gets a 429 for the operator: by account, if known, and address. */
export function noteRefusal({ refusedRequests }: Service, error: unknown, { about, ip }: FastifyRequest) {
  if (!(error instanceof ApiError) || error.status !== 429) return
  refusedRequests.add({
    account_id: about?.account_id ?? null,
    address: networkOf(ip),
    reason: settingOf(error) ?? error.code,
  })
}
