import { SIGN_IN_REFUSALS, type SignInRefusal } from './app/sign-in-refusals.ts'
import { roleLabel } from './labels.ts'
import type { AccountRole, BlockedReason, ConfirmMethod, ProjectRole, SharePolicy } from './sets.ts'

/** Every error of the service, in one place: status, code, message, and the fields a client may branch on. */
export class ApiError extends Error {
  override readonly name = 'ApiError'
  readonly status: number
  readonly code: string
  readonly extra: Record<string, unknown>
  readonly headers: Record<string, string>

  constructor(
    status: number,
    code: string,
    message: string,
    extra: Record<string, unknown> = {},
    headers: Record<string, string> = {},
  ) {
    super(message)
    this.status = status
    this.code = code
    this.extra = extra
    this.headers = headers
  }

  /** A refused credential gets no body, so that nothing is revealed. */
  get body(): Record<string, unknown> | undefined {
    if (this.status === 401 && this.code === '') return undefined
    return { error: this.code, message: this.message, ...this.extra }
  }
}

/** An error as it is sent between our processes and threads. */
export type SerializedError = Pick<ApiError, 'status' | 'code' | 'message' | 'extra' | 'headers'>

export const serializeError = ({ status, code, message, extra, headers }: ApiError): SerializedError => ({
  status,
  code,
  message,
  extra,
  headers,
})

export const deserializeError = ({ status, code, message, extra, headers }: SerializedError) =>
  new ApiError(status, code, message, extra, headers)

/** Parses the error in a response for clients; `otherwise` if the response has no message of ours. */
export function errorOfResponse(status: number, text: string, otherwise: string, retryAfter: string | null = null) {
  const headers: Record<string, string> = retryAfter === null ? {} : { 'retry-after': retryAfter }
  try {
    const { error, message, ...extra } = JSON.parse(text)
    return new ApiError(status, String(error), String(message ?? error), extra, headers)
  } catch {
    return new ApiError(status, '', otherwise, {}, headers)
  }
}

const plural = (name: string) => (name.endsWith('y') ? `${name.slice(0, -1)}ies` : name.endsWith('s') ? `${name}es` : `${name}s`)

export const unauthorized = () => new ApiError(401, '', 'Unauthorized')

export const notFound = (what: string) => new ApiError(404, 'not_found', `${what} not found.`)

export const badRequest = (message: string, status = 400) => new ApiError(status, 'bad_request', message)

export const headersTooLarge = () => new ApiError(431, 'headers_too_large', 'The address or the headers are too long.')

export const requestTimeout = () => new ApiError(408, 'request_timeout', 'The request took too long to arrive.')

export const methodNotAllowed = (allowed: readonly string[]) =>
  new ApiError(405, 'method_not_allowed', `Use ${allowed.join(' or ')} here.`, {}, { allow: allowed.join(', ') })

export const internalError = () =>
  new ApiError(500, 'internal_error', 'Something went wrong in the service. Try again; if it happens again, tell the operator.')

export const invalidJson = () => new ApiError(400, 'invalid_json', 'The body is not valid JSON.')

export const tooLarge = (message = 'The body is too large.') => new ApiError(413, 'body_too_large', message)

export const rangeNotSatisfiable = (bytes: number) =>
  new ApiError(416, 'range_not_satisfiable', `The file has ${bytes} bytes.`, {}, { 'content-range': `bytes */${bytes}` })

const spanOf = (seconds: number) =>
  seconds < 90 ? `${seconds} s` : seconds < 5_400 ? `${Math.ceil(seconds / 60)} min` : `${Math.ceil(seconds / 3_600)} h`

/** 429 if it resolves with time, 422 if somebody has to free some. */
export const quotaExceeded = (quota: string, limit: number, used: number, retryAfter?: number) =>
  new ApiError(
    retryAfter === undefined ? 422 : 429,
    'quota_exceeded',
    `The account has used its quota of ${quota.replaceAll('_', ' ')}: ${used} of ${limit}.${retryAfter === undefined ? '' : ` Try again in ${spanOf(retryAfter)}.`}`,
    { quota, limit, used },
    retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) },
  )

export const cannotAct = (why: string) => new ApiError(422, 'cannot_act', why)
/** The CI refused, or did not answer. */
export const ciFailed = (why: string) => new ApiError(422, 'ci_failed', why)

export const cannotImport = (why: string) => new ApiError(422, 'cannot_import', why)

export const cannotWriteBack = (why: string) => new ApiError(422, 'cannot_write_back', why)

export const cannotBisect = (why: string) => new ApiError(422, 'cannot_bisect', why)

export const exportRunning = () =>
  new ApiError(409, 'export_running', 'An export is already running. Wait for its file, or try again when it is done.')

export const unsupportedType = () => new ApiError(415, 'unsupported_media_type', 'Send the body as application/json.')

export const badEncoding = (message: string) => new ApiError(415, 'unsupported_encoding', message)

export const invalidCursor = () =>
  new ApiError(400, 'invalid_cursor', 'The cursor does not belong to this list. Start again without a cursor.')

export const unknownParameter = (name: string, known: readonly string[]) =>
  new ApiError(
    422,
    'unknown_parameter',
    `Unknown parameter: ${shortened(name)}. ${known.length === 0 ? 'No parameters are allowed here.' : `Known: ${known.join(', ')}.`}`,
  )

/** A sent name is repeated, but only up to a length. */
const shortened = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}…` : name).toWellFormed()

export const invalidType = (name: string) =>
  new ApiError(422, 'invalid_parameter_type', `${name} must be a single value, not a list or an object.`)

export const invalidParameter = (name: string, why: string) => new ApiError(422, 'invalid_parameter', `${name} ${why}.`)

export const notOneOf = (name: string, values: readonly string[]) =>
  new ApiError(422, `invalid_${name}`, `${name} must be one of: ${values.join(', ')}.`, { [`valid_${plural(name)}`]: values })

export const invalidAssignee = (why: string, expected_format: string) =>
  new ApiError(422, 'invalid_assignee', why, { expected_format })

export const invalidEventType = (valid_event_types: readonly string[]) =>
  new ApiError(
    422,
    'invalid_event_type',
    `Unknown event type. Use: ${valid_event_types.join(', ')}, or a group such as build_run.*.`,
    {
      valid_event_types,
    },
  )

/** The only error with a different body: the problem and where to fix it. */
export class PlanRefused extends ApiError {
  constructor(baseUrl: string) {
    const message =
      'The workspace feed needs the Team plan or higher. Upgrade this account, or choose another one with account_id.'
    super(403, 'plan_required', message, { upgrade_url: `${baseUrl}/settings/billing` })
  }

  override get body() {
    return { error: this.message, ...this.extra }
  }
}

export const invalidGrant = () =>
  new ApiError(422, 'invalid_grant', 'The code is unknown, used or expired, or the verifier does not match it.')

/** In OAuth's format, with our own message added. */
export const tooManySubscriptions = (most: string) =>
  new ApiError(429, 'too_many_subscriptions', `At most ${most} are allowed at once. Close one first.`)

export const tooManyStreams = (most: number) =>
  new ApiError(
    429,
    'too_many_streams',
    `This token has ${most} event streams open, which is the limit. Close one, or use another token.`,
    { limit: most },
    { 'retry-after': '30' },
  )

export const streamEnded = () => new ApiError(503, 'unavailable', 'The service ended the stream of events.')

export const oauthRefusal = (error: string, why: string, status = 400) =>
  new ApiError(status, error, why, { error_description: why })

export const insufficientScope = (required_scope: string, token_scopes: readonly string[]) =>
  new ApiError(403, 'insufficient_scope', `This token lacks the scope ${required_scope}.`, { required_scope, token_scopes })

export const readOnly = (reason: 'trial_expired' | 'demo', baseUrl: string) =>
  reason === 'trial_expired'
    ? new ApiError(
        403,
        'demo_read_only',
        'The trial of this account has ended. It is read-only until you add a payment method.',
        {
          reason,
          upgrade_url: `${baseUrl}/settings/billing`,
        },
      )
    : new ApiError(403, 'demo_read_only', 'This is a demo account. It is read-only.', { reason })

export const tooManyCodes = (seconds: number) =>
  new ApiError(
    429,
    'too_many_codes',
    `Too many wrong codes. Try a code of your app again in ${spanOf(seconds)}, or use a recovery code or a passkey now.`,
    {},
    { 'retry-after': String(seconds) },
  )

export const preconditionFailed = (etag: string) =>
  new ApiError(
    412,
    'precondition_failed',
    'The record changed since you read it (If-Match). Read it again, then repeat your change.',
    {},
    { etag },
  )

/** A decision names the versions that somebody looked at; these have a newer one, which is what would be decided. */
export const newerVersions = (newer: readonly { asset_id: string; name: string; version: number }[]) => {
  const [first] = newer
  return new ApiError(
    412,
    'precondition_failed',
    newer.length === 1
      ? `${first!.name} has a newer version (${first!.version}). Nothing was decided. Look at it, then decide again.`
      : `${newer.length} assets have newer versions. Nothing was decided. Look at them, then decide again.`,
    { newer },
    newer.length === 1 ? { etag: `"${first!.version}"` } : {},
  )
}

export const rateLimited = (seconds: number) =>
  new ApiError(429, 'rate_limited', `Too many requests. Try again in ${seconds} s.`, {}, { 'retry-after': String(seconds) })

export const unstorable = () =>
  new ApiError(422, 'invalid_parameter', 'A value is too large, too long, or contains a character that can’t be stored.')

export const unstorableText = () =>
  new ApiError(422, 'invalid_parameter', 'Text must not contain NUL or incomplete Unicode characters.')

export const unknownBuild = () =>
  new ApiError(404, 'unknown_build', 'No build of this job and number was reported yet. Report its start first.')

/** A file of test results that cannot be read. The reason names the line. */
export const unreadableReport = (file: string, reason: string) =>
  new ApiError(422, 'unreadable_report', `${file === '' ? 'The test report' : file} can't be read. ${reason}`)

/** Pieces of an artifact must be consecutive. */
export const artifactGap = (offset: number) =>
  new ApiError(409, 'artifact_gap', `The artifact was received up to byte ${offset}. Continue from there.`, { offset })

export const tooManyArtifacts = (max: number) =>
  new ApiError(422, 'too_many_artifacts', `A build has at most ${max} uploaded artifacts. Pack them into an archive.`)

export const tooManyUnfinished = () =>
  new ApiError(
    429,
    'too_many_unfinished_uploads',
    'Other uploads of this integration that are not complete have half of the account’s space for files. They are removed after a day without progress.',
    {},
    { 'retry-after': '60' },
  )

export const sharingNotAllowed = (policy: SharePolicy) =>
  new ApiError(
    403,
    'sharing_not_allowed',
    policy === 'members'
      ? 'Guests can’t create share links in this account. Ask a member to share the artifact.'
      : 'This account doesn’t allow share links. An owner can allow them under Settings → Account → Security.',
  )

export const tooManyShareLinks = (max: number) =>
  new ApiError(422, 'too_many_share_links', `A build has at most ${max} share links. Revoke one first.`)

/** Pieces of a log must be consecutive. */
export const logGap = (offset: number) =>
  new ApiError(409, 'log_gap', `The log was received up to byte ${offset}. Continue from there.`, { offset })

export const logSuperseded = () =>
  new ApiError(409, 'log_superseded', 'Another run of this job and number has started its log since. Use a new build number.')

export const logTaken = () => new ApiError(409, 'log_taken', 'The build has ended and its log is complete.')

export const unavailable = () =>
  new ApiError(503, 'unavailable', 'The database does not respond. Try again shortly.', {}, { 'retry-after': '2' })

export const accountBusy = () =>
  new ApiError(503, 'busy', 'Your account has too many requests running at once. Try again shortly.', {}, { 'retry-after': '2' })

/** The database answers, but every connection is in use, or another session holds what this one needs. */
export const serviceBusy = () =>
  new ApiError(503, 'busy', 'The service has too many requests running at once. Try again shortly.', {}, { 'retry-after': '2' })

/** The database is reachable, but the statement takes too long. */
export const tooSlow = () =>
  new ApiError(
    503,
    'too_slow',
    'This request took too long and was stopped. Ask for less data, or try again later.',
    {},
    { 'retry-after': '5' },
  )

/** One value is in the object store, which is unreachable; everything in the database still works. */
export const objectStoreAway = (cause: unknown) =>
  Object.assign(
    new ApiError(503, 'object_store_away', 'The object store does not respond. Try again shortly.', {}, { 'retry-after': '5' }),
    { cause },
  )

export const objectLost = () => new ApiError(410, 'object_lost', 'The object store no longer has this file.')

export const fileStoreAway = (cause: unknown) =>
  Object.assign(
    new ApiError(
      503,
      'file_store_away',
      'The file store does not respond, or is full. Try again shortly, or ask the operator of the service.',
      {},
      { 'retry-after': '30' },
    ),
    { cause },
  )

export const fileTooLarge = (max: number) => tooLarge(`The file is too large: at most ${max / 1_000_000} MB are allowed.`)

export const emptyFile = () => new ApiError(422, 'empty_file', 'The file is empty.')

/** An uploaded preview that shows nothing. */
export const unusablePreview = (reason: string) => new ApiError(422, 'unusable_preview', reason)

export const damagedPicture = () =>
  new ApiError(422, 'damaged_picture', 'The picture is damaged or cut off. Save it again, or pack it into an archive.')

export const pictureTooLarge = (width: number, height: number, max: number) =>
  new ApiError(
    422,
    'picture_too_large',
    `The picture has ${width} × ${height} pixels. At most ${max / 1_000_000} million are allowed: scale it down, or pack it into an archive.`,
  )

export const tooManyAttachments = (max: number) =>
  new ApiError(422, 'too_many_attachments', `A comment has at most ${max} attachments. Write another comment for more.`)

const isError = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code
export const isObjectStoreAway = isError('object_store_away')
export const isObjectLost = isError('object_lost')
export const isUnknownBuild = isError('unknown_build')

const STOPPING = 'The service is shutting down. Try again shortly.'

export const stopping = () => new ApiError(503, 'unavailable', STOPPING, {}, { 'retry-after': '2' })

export const isStopping = (error: unknown): boolean => error instanceof ApiError && error.message === STOPPING

export const overloaded = (seconds: number) =>
  new ApiError(503, 'overloaded', `Too many reads at once. Try again in ${seconds} s.`, {}, { 'retry-after': String(seconds) })

/** Nobody reads this response; proxies log this status in the same case. */
export const clientGone = () =>
  new ApiError(499, 'client_gone', 'The client closed the connection before the request was processed.')

export const forbiddenOrigin = () => new ApiError(403, 'forbidden_origin', 'Requests from other sites are not allowed here.')

export const foreignOrigin = () => new ApiError(403, 'foreign_origin', 'This request was not sent by a page of this service.')

export const foreignHost = (site: string) =>
  new ApiError(403, 'foreign_host', `Open this page at ${site}, or set BASE_URL to the address you use.`)

/** An account is blocked for one of its members. */
export const accessBlocked = (reason: BlockedReason) =>
  new ApiError(403, BLOCKED_REFUSALS[reason].code, BLOCKED_REFUSALS[reason].message)

const BLOCKED_REFUSALS: Record<BlockedReason, { code: string; message: string }> = {
  address: { code: 'address_not_allowed', message: SIGN_IN_REFUSALS.address_not_allowed },
  second_factor: {
    code: 'second_factor_required',
    message:
      'The account requires a second factor. Confirm or add one under Settings, Sign-in, or use the account’s single sign-on.',
  },
}

export const ownAddressMissing = (address: string) =>
  new ApiError(
    422,
    'own_address_missing',
    `The list doesn’t include your own IP address, ${address}. Saving it would lock you out.`,
    {
      address,
    },
  )

export const ownSecondFactorMissing = () =>
  new ApiError(
    422,
    'own_second_factor_missing',
    'You have no second factor yourself. Add an authenticator app under Settings, Sign-in first, or you would lock yourself out.',
  )

export const insufficientRole = (required_role: AccountRole | ProjectRole) =>
  new ApiError(403, 'insufficient_role', `You need the ${roleLabel(required_role)} role to do this.`, { required_role })

export const insufficientStageRole = (required_role: ProjectRole, stage: string) =>
  new ApiError(
    403,
    'insufficient_role',
    `You can't decide the stage ${stage}: it needs the ${roleLabel(required_role)} role, or somebody named in its approval rule.`,
    {
      required_role,
    },
  )

/** `accounts`: the names of those that would be left without one. */
export const notTheAuthor = () => new ApiError(403, 'not_the_author', 'Only the author of a comment can edit it.')

export const notYourComment = () => new ApiError(403, 'not_the_author', 'Only the author of a comment can attach files to it.')

export const lastOwner = (accounts: readonly string[] = []) =>
  new ApiError(
    422,
    'last_owner',
    accounts.length === 0
      ? 'An account needs an owner. Make somebody else an owner first.'
      : `An account needs an owner. Make somebody else an owner of ${accounts.join(', ')}, or delete it first.`,
  )

export const emailUnverified = () =>
  new ApiError(
    403,
    'email_unverified',
    'Confirm your email address first: open the link we sent you, or request a new one in your profile.',
  )

export const signInRefused = (why: SignInRefusal) => new ApiError(why === 'sso_away' ? 424 : 403, why, SIGN_IN_REFUSALS[why])

/** The same as the library that checks passwords. */
export const wrongSignIn = () => new ApiError(401, 'invalid_email_or_password', 'Invalid email or password')

export const wrongCode = () =>
  new ApiError(422, 'invalid_code', 'Wrong code, or it was used before. Enter the next code your app shows.')

export const signInExpired = () => new ApiError(403, 'sign_in_expired', 'This sign-in took too long. Start again.')

export const setUpExpired = () =>
  new ApiError(403, 'set_up_expired', 'This setup took too long or was started in another browser. Start again.')

export const undoTooLate = () =>
  new ApiError(
    409,
    'undo_too_late',
    'Too late to undo: more than ten seconds have passed, or the asset has changed. Decide again instead.',
  )

export const twoFactorOn = () => new ApiError(409, 'two_factor_on', 'An authenticator app is already set up. Remove it first.')

export const invalidPasskey = () =>
  new ApiError(422, 'invalid_passkey', 'This passkey does not belong to your user. Try another one.')

export const tooManyPasskeys = (max: number) => new ApiError(422, 'too_many_passkeys', `You can have at most ${max} passkeys.`)

/** `methods`: how the caller can confirm the session. */
export const freshSignInRequired = (minutes: number, methods: readonly ConfirmMethod[]) =>
  new ApiError(
    403,
    'fresh_sign_in_required',
    `You signed in more than ${minutes} minutes ago. Confirm your identity, or sign out and sign in again.`,
    { methods },
  )

export const factorNotShown = () =>
  new ApiError(
    403,
    'second_factor_not_shown',
    'Confirm it’s you with a code of your authenticator app or a passkey, or sign in with the account’s single sign-on.',
  )

export const anAccountBlocked = () =>
  new ApiError(
    403,
    'kept_out',
    'You can’t do this now: one of your accounts is closed to you, because of your IP address or a missing second factor.',
  )

export const invalidActive = () => new ApiError(400, 'invalid_active', 'active must be true or false.')

export const invalidSingleSignOn = (why: string) => new ApiError(422, 'invalid_single_sign_on', why)

export const operatorRequired = (what: string) =>
  new ApiError(403, 'operator_required', `Only the operator of this service can ${what}.`)

export const invalidEmail = (why: string) => new ApiError(422, 'invalid_email', why)

export const breachedPassword = () =>
  new ApiError(422, 'breached_password', 'This password is on lists of stolen passwords. Choose another one.')

export const wrongPassword = () => new ApiError(422, 'invalid_password', 'Wrong password. Enter your current password.')

export const invalidLink = () =>
  new ApiError(422, 'invalid_link', 'This link was already used, has expired or is incomplete. Request a new one.')

export const signUpClosed = () => new ApiError(403, 'sign_up_closed', 'You need an invitation to sign up here.')

export const setUpDone = () => new ApiError(403, 'set_up_done', 'This service already has an owner. Sign in instead.')

export const invalidSetUpToken = () =>
  new ApiError(403, 'invalid_set_up_token', 'Wrong setup token. The service prints it to its log when it starts.')

export const uidTaken = (uid: string, takenBy: string) =>
  new ApiError(422, 'uid_taken', `${uid} already belongs to ${takenBy}. Reject it there first.`)

export const unreadablePeopleList = (line: number, why: string) =>
  new ApiError(422, 'unreadable_people_list', `Line ${line}: ${why}`)

export const WRONG_SIGNATURE = 'The signature is missing, wrong or too old.'
export const badSignature = () => new ApiError(401, 'unauthorized', WRONG_SIGNATURE)

export const noWebhookToken = () => new ApiError(401, 'unauthorized', 'The webhook token is missing or malformed.')

/** Clients send a user name and a password only after this challenge. */
export const noUgsToken = () =>
  new ApiError(
    401,
    'unauthorized',
    'The token for Unreal Game Sync is missing, wrong or revoked.',
    {},
    {
      'www-authenticate': 'Basic realm="Goldmaster", charset="UTF-8"',
    },
  )

export const projectInactive = (status: string) =>
  new ApiError(403, 'project_inactive', `The project is ${status}, so deliveries are refused.`)

/** A refused delivery is still in the log. */
export const refusedDelivery = (status: number, why: string, delivery_id: unknown) =>
  new ApiError(status, status === 401 ? 'unauthorized' : 'unreadable_body', why, { delivery_id })

export const bodyGone = (why = 'The body of this delivery was deleted.') => new ApiError(410, 'body_gone', why)

export const editedMeanwhile = (current: Record<string, unknown>) =>
  new ApiError(409, 'edited_meanwhile', 'Somebody else changed this text in the meantime.', { current })

export const buildNotFailed = (status: string) =>
  new ApiError(422, 'build_not_failed', `Only a failed build can be investigated. This one is ${status}.`)

export const insufficientCredits = () => new ApiError(402, 'insufficient_credits', 'This account has no credits left.')

export const dailyLimitReached = (limit: number, seconds: number) =>
  new ApiError(
    429,
    'daily_limit_reached',
    `All ${limit} investigations of today are used. The next day starts at midnight UTC.`,
    {},
    { 'retry-after': String(Math.max(1, seconds)) },
  )

export const tooManyRules = (max: number) => new ApiError(422, 'too_many_rules', `An account has at most ${max} rules.`)

export const webhooksNeedPlan = () => new ApiError(403, 'plan_required', 'Outbound webhooks need the Team plan or higher.')
