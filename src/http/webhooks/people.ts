import type { FastifyInstance } from 'fastify'
import { badRequest, badSignature } from '../../contract/errors.ts'
import { PEOPLE_LIST_MAX } from '../../contract/limits.ts'
import { matchPeople } from '../../domain/accounts/match-people.ts'
import { readPeopleList } from '../../domain/accounts/people-list.ts'
import { admit } from '../../intake/admission.ts'
import { providers } from '../../intake/providers/index.ts'
import { exceeds } from '../../net/json-complexity.ts'
import type { Service } from '../service.ts'
import { admission, type Entry } from './admission.ts'
import { isSigned } from './log-stream.ts'

const LISTED = { values: 100, depth: 10 }

/** A character takes at most six bytes in JSON. */
const BODY_LIMIT = 6 * PEOPLE_LIST_MAX + 1024

/**
 * The users of a tool's server, from its bridge. All matches are proposals: a project's lead has the token, and names count in the whole
 * account.
 */
export function servePeople(app: FastifyInstance, service: Service) {
  const entry: Entry = {
    name: Object.values(providers)
      .filter(({ listsUsers }) => listsUsers)
      .map(({ name }) => name),
    tokenHeader: 'x-service-token',
  }
  app.post('/webhooks/people', {
    onRequest: admission(service, entry, BODY_LIMIT),
    handler: async (request) => {
      request.working = true
      try {
        const integration = request.integration!
        if (!isSigned(request, integration, '')) throw badSignature()
        const listed = readPeopleList(listIn(request.body as Buffer | undefined))
        return await admit(service.intake, integration.account_id, () =>
          matchPeople(service.intake, integration.account_id, integration.provider, listed, { isTrusted: false }),
        )
      } finally {
        request.memory?.release()
      }
    },
  })
}

function listIn(body: Buffer | undefined): string {
  // A list is one text: anything else would be parsed for nothing.
  if (body && exceeds(body, LISTED))
    throw badRequest(`The body must hold a list, and at most ${LISTED.values} other values.`, 422)
  let given: unknown
  try {
    given = JSON.parse(body?.toString() ?? '')
  } catch {
    throw badRequest('The body must be JSON.')
  }
  const list = (given as { list?: unknown } | null)?.list
  if (typeof list !== 'string' || list.length > PEOPLE_LIST_MAX)
    throw badRequest(`list must be a text of at most ${PEOPLE_LIST_MAX} characters.`, 422)
  return list
}
