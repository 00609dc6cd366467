import type { DeploymentStatus } from '../../../contract/sets.ts'
import type { Fact } from '../../facts.ts'
import type { Unparsed } from '../../provider.ts'
import { at, text, time, Unreadable } from '../../reading.ts'
import { type Checked, hmac, signedBy } from '../../signatures.ts'

/** App Store Connect: one event, its new state, and the id of its version, upload or beta. */

export const appleType = (body: unknown): string | undefined =>
  typeof at(body, 'data', 'attributes') === 'object' ? text(at(body, 'data', 'type')) : undefined

export function appleSignature({ headers, raw }: Unparsed, secrets: readonly string[]): Checked {
  const given = headers['x-apple-signature']
  if (given === undefined) return undefined
  return signedBy(secrets, given, (secret) => `hmacsha256=${hmac('sha256', secret, raw).toString('hex')}`)
}

/** The key includes the state: some senders use the instance id as the id of every event. */
export function appleKey(body: unknown): string | undefined {
  const id = text(at(body, 'data', 'id'))
  return id && JSON.stringify([appleType(body), id, stateOf(body)])
}

type Outcome = { status?: DeploymentStatus; uploaded?: true }
const states = (entries: Record<string, Outcome>): ReadonlyMap<string, Outcome> => new Map(Object.entries(entries))

const VERSION = states({
  PREPARE_FOR_SUBMISSION: { status: 'pending' },
  READY_FOR_REVIEW: { status: 'submitted' },
  WAITING_FOR_REVIEW: { status: 'submitted' },
  WAITING_FOR_EXPORT_COMPLIANCE: { status: 'submitted' },
  IN_REVIEW: { status: 'in_review' },
  ACCEPTED: { status: 'approved' },
  PENDING_DEVELOPER_RELEASE: { status: 'approved' },
  PENDING_APPLE_RELEASE: { status: 'approved' },
  PROCESSING_FOR_DISTRIBUTION: { status: 'approved' },
  PROCESSING_FOR_APP_STORE: { status: 'approved' },
  READY_FOR_DISTRIBUTION: { status: 'live' },
  READY_FOR_SALE: { status: 'live' },
  REJECTED: { status: 'rejected' },
  METADATA_REJECTED: { status: 'rejected' },
  INVALID_BINARY: { status: 'rejected' },
  DEVELOPER_REJECTED: { status: 'rejected' },
  // It was replaced on the store, which is not a failure.
  REPLACED_WITH_NEW_VERSION: {},
})
const UPLOAD = states({
  AWAITING_UPLOAD: { status: 'pending' },
  PROCESSING: { status: 'uploading' },
  COMPLETE: { status: 'in_review', uploaded: true },
  FAILED: { status: 'rejected' },
})
const BETA = states({
  PROCESSING: { status: 'uploading' },
  PROCESSING_EXCEPTION: { status: 'rejected' },
  MISSING_EXPORT_COMPLIANCE: { status: 'pending' },
  READY_FOR_BETA_SUBMISSION: { status: 'pending' },
  IN_EXPORT_COMPLIANCE_REVIEW: { status: 'submitted' },
  WAITING_FOR_BETA_REVIEW: { status: 'submitted' },
  IN_BETA_REVIEW: { status: 'in_review' },
  BETA_REJECTED: { status: 'rejected' },
  BETA_APPROVED: { status: 'approved' },
  READY_FOR_BETA_TESTING: { status: 'approved' },
  IN_BETA_TESTING: { status: 'live' },
  EXPIRED: { status: 'rolled_back' },
})

const EVENTS = new Map([
  ['appStoreVersionAppVersionStateUpdated', { states: VERSION, branch: undefined }],
  ['buildUploadStateUpdated', { states: UPLOAD, branch: undefined }],
  ['buildBetaDetailExternalBuildStateUpdated', { states: BETA, branch: 'TestFlight' }],
])

const stateOf = (body: unknown): string | undefined =>
  ['newValue', 'newState', 'newExternalBuildState']
    .map((name) => text(at(body, 'data', 'attributes', name)))
    .find((state) => state !== undefined)

export function readApple(body: unknown): Fact[] {
  const event = EVENTS.get(appleType(body) ?? '')
  if (!event) return []
  const instance = text(at(body, 'data', 'relationships', 'instance', 'data', 'id'))
  if (instance === undefined) throw new Unreadable('An App Store Connect event names its instance in data.relationships.')
  const state = stateOf(body)
  const outcome = event.states.get(state ?? '')
  return [
    {
      kind: 'deployment',
      platform: 'apple_app_store',
      key: instance,
      ...outcome,
      ...(outcome === undefined && {
        warnings: [`The state ${JSON.stringify(state ?? null)} is not known; the status stays as it was.`],
      }),
      branch: event.branch,
      ...(event.branch !== undefined && { track: event.branch }),
      external_id: instance,
      at: time(at(body, 'data', 'attributes', 'timestamp')),
    },
  ]
}
