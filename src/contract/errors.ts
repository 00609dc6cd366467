/** Everything the service can refuse, in one place: status, code, words, and the fields a client may branch on. */
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

  /** A refused credential says nothing at all, so that it teaches nothing. */
  get body(): Record<string, unknown> | undefined {
    if (this.status === 401 && this.code === '') return undefined
    return { error: this.code, message: this.message, ...this.extra }
  }
}

const plural = (name: string) => (name.endsWith('y') ? `${name.slice(0, -1)}ies` : name.endsWith('s') ? `${name}es` : `${name}s`)

export const unauthorized = () => new ApiError(401, '', 'Unauthorized')

export const notFound = (what: string) => new ApiError(404, 'not_found', `${what} not found.`)

export const invalidJson = () => new ApiError(400, 'invalid_json', 'The body is not valid JSON.')

export const tooLarge = (message = 'The body is too large.') => new ApiError(413, 'body_too_large', message)

export const unsupportedType = () => new ApiError(415, 'unsupported_media_type', 'Send the body as application/json.')

export const invalidCursor = () =>
  new ApiError(400, 'invalid_cursor', 'The cursor does not belong to this list; start again without one.')

export const unknownParameter = (name: string, known: readonly string[]) =>
  new ApiError(
    422,
    'unknown_parameter',
    `Unknown parameter: ${shortened(name)}. ${known.length === 0 ? 'None is taken here.' : `Known: ${known.join(', ')}.`}`,
  )

/** A name somebody invented is repeated, but not at any length. */
const shortened = (name: string) => (name.length > 100 ? `${name.slice(0, 100)}…` : name).toWellFormed()

export const invalidType = (name: string) =>
  new ApiError(422, 'invalid_parameter_type', `${name} must be a single value, not a list or an object.`)

export const invalidParameter = (name: string, why: string) => new ApiError(422, 'invalid_parameter', `${name} ${why}.`)

export const notOneOf = (name: string, values: readonly string[]) =>
  new ApiError(422, `invalid_${name}`, `${name} must be one of: ${values.join(', ')}.`, { [`valid_${plural(name)}`]: values })

export const invalidAssignee = (why: string, expected_format: string) =>
  new ApiError(422, 'invalid_assignee', why, { expected_format })

export const invalidEventType = (valid_event_types: readonly string[]) =>
  new ApiError(422, 'invalid_event_type', `Event types are: ${valid_event_types.join(', ')}; a group is written build_run.*.`, {
    valid_event_types,
  })

/** The one refusal with a body of its own: what is wrong and where to mend it. */
export class PlanRefused extends ApiError {
  constructor(baseUrl: string) {
    const message = 'The workspace feed needs the Team plan or higher; name another account with account_id, or upgrade this one.'
    super(403, 'plan_required', message, { upgrade_url: `${baseUrl}/settings/billing` })
  }

  override get body() {
    return { error: this.message, ...this.extra }
  }
}

export const invalidGrant = () =>
  new ApiError(422, 'invalid_grant', 'The code is unknown, used or expired, or the verifier does not match it.')

/** As programs that speak OAuth expect it, with our own words beside theirs. */
export const oauthRefusal = (error: string, why: string, status = 400) =>
  new ApiError(status, error, why, { error_description: why })

export const insufficientScope = (required_scope: string, token_scopes: readonly string[]) =>
  new ApiError(403, 'insufficient_scope', `This token lacks the scope ${required_scope}.`, { required_scope, token_scopes })

export const readOnly = (reason: 'trial_expired' | 'demo', baseUrl: string) =>
  reason === 'trial_expired'
    ? new ApiError(403, 'demo_read_only', 'The trial of this account is over; it is read-only until a payment method is added.', {
        reason,
        upgrade_url: `${baseUrl}/settings/billing`,
      })
    : new ApiError(403, 'demo_read_only', 'This is a demo account; it is read-only.', { reason })

export const rateLimited = (seconds: number) =>
  new ApiError(429, 'rate_limited', `Too many requests; try again in ${seconds} s.`, {}, { 'retry-after': String(seconds) })

export const unstorable = () =>
  new ApiError(422, 'invalid_parameter', 'A value is too large, too long, or holds a character that cannot be stored.')

export const unavailable = () =>
  new ApiError(503, 'unavailable', 'The database does not answer; try again shortly.', {}, { 'retry-after': '2' })

export const stopping = () =>
  new ApiError(503, 'unavailable', 'The service is stopping; try again shortly.', {}, { 'retry-after': '2' })

export const overloaded = (seconds: number) =>
  new ApiError(
    503,
    'overloaded',
    `Too much is being read at once; try again in ${seconds} s.`,
    {},
    { 'retry-after': String(seconds) },
  )

/** Nobody reads this answer; its status is the one that proxies log in this case. */
export const clientGone = () => new ApiError(499, 'client_gone', 'The client hung up before its request was worked on.')
