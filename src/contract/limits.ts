/** How long and how large things may be: schemas, readers and forms read it off here. Characters, unless bytes are named. */

/** A record's number has 64 bits in the database; this is as far as JSON numbers are exact. */
export const ID_MAX = Number.MAX_SAFE_INTEGER
/** What the database keeps in 32 bits: counts, seconds, and numbers of what is few, such as accounts, projects and people. */
export const INTEGER_MAX = 2_147_483_647
/** Bytes. What identifies a record stands in an index, and an index row has 2,704. */
export const IDENTIFIER_MAX = 500

/** Of a person, an account, a project or a token. */
export const NAME_MAX = 120
export const EMAIL = { pattern: /^[^\s@]+@[^\s@]+$/, maxLength: 254 }
export const PASSWORD = { minLength: 10, maxLength: 128 }
/** Of the secrets in an export. */
export const PASSPHRASE = { minLength: 12, maxLength: 500 }
export const TIMEZONE_MAX = 60
export const ENGINE_MAX = 60
/** Ten years. */
export const DAYS_MAX = 3650

export const TITLE_MAX = 255
/** Bytes. */
export const DESCRIPTION_MAX = 65_536
export const LABEL_MAX = 100
export const LABELS_MAX = 50
/** Bytes of JSON. */
export const METADATA_MAX = 16_384
export const METADATA_DEPTH = 64
/** An agent's. */
export const HANDLE = /^[a-z0-9-]{1,50}$/

export const STAGE_MAX = 100
/** Bytes of what somebody notes about a breakage. */
export const NOTE_MAX = 4_000
/** How many decisions may be made at once. */
export const BULK_MAX = 200
/** Pages count no further: one more digit tells nobody anything, and the count stays as quick as it is. */
export const COUNT_MAX = 10_000
/** How far a branch is behind its newest change is counted up to here. */
export const BEHIND_MAX = 1_000

/** Of a build's log; the oldest go first. */
export const LOG_MAX = 256_000
export const IDEMPOTENCY_KEY_MAX = 255
/** A longer name of a branch fits into no index. */
export const BRANCH_MAX = 500
/** Of an address that is told what happens. */
export const URL_MAX = 2_000
/** What a tool signs with, and how many count side by side while one takes over from another. */
export const SIGNING_SECRET_MAX = 500
export const SIGNING_SECRETS_MAX = 5

/** Of a failure rule that somebody writes. */
export const RULE = { tool: 60, pattern: 500, fix: 1_000, log: 20_000 }
export const CHANNEL_RULES_MAX = 50
/** How long a decision can be undone, as the app offers it. */
export const DECISION_UNDO_SECONDS = 10
export const APPROVAL_RULES_MAX = 50
/** Of a branch, a job, a path or an author, with stars. */
export const PATTERN_MAX = 200

/** A time of day. */
export const CLOCK = /^([01]\d|2[0-3]):[0-5]\d$/
