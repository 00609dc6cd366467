/** Maximum lengths and sizes for schemas, readers and forms. Characters, unless bytes are named. */

/** A record's number has 64 bits in the database; this is the largest exact JSON number. */
export const ID_MAX = Number.MAX_SAFE_INTEGER
/** The maximum of 32-bit columns: counts, seconds, and ids of tables with few rows, such as accounts, projects and people. */
export const INTEGER_MAX = 2_147_483_647
/** Bytes. Identifiers are indexed, and an index row has at most 2,704. */
export const IDENTIFIER_MAX = 500

/** For a person, an account, a project or a token. */
export const NAME_MAX = 120
export const EMAIL = { pattern: /^[^\s@]+@[^\s@]+$/, maxLength: 254 }
export const PASSWORD = { minLength: 10, maxLength: 128 }
/** For the secrets in an export. */
export const PASSPHRASE = { minLength: 12, maxLength: 500 }
export const TIMEZONE_MAX = 60
export const ENGINE_MAX = 60
/** Ten years. */
export const DAYS_MAX = 3650
/** How far back an import goes. */
export const IMPORT_DAYS_MAX = 365

export const TITLE_MAX = 255
/** Bytes. */
export const DESCRIPTION_MAX = 65_536
export const LABEL_MAX = 100
export const LABELS_MAX = 50
/** Bytes of JSON. */
export const METADATA_MAX = 16_384
export const METADATA_DEPTH = 64
/** An agent's handle. */
export const HANDLE = /^[a-z0-9-]{1,50}$/

export const STAGE_MAX = 100
/** Bytes of a note about a breakage. */
export const NOTE_MAX = 4_000
/** Bytes of a comment, and how many different people one may mention. */
export const COMMENT_MAX = 20_000
export const MENTIONS_MAX = 50
/** Bytes of an attached file, and how many a comment has. */
export const FILE_MAX = 25_000_000
export const ATTACHMENTS_MAX = 10
export const FILE_NAME_MAX = 200
/** Bytes of an uploaded preview, and of the text that is kept of a file. */
export const PREVIEW_MAX = 50_000_000
export const PREVIEW_TEXT_MAX = 65_536
/** The longest side of the pictures of a preview, in pixels. */
export const PREVIEW_SIDES = { small: 320, large: 1600 }
/** An artifact of a build. */
export const ARTIFACT_MAX = 20_000_000_000
/** One upload of a part of it. */
export const ARTIFACT_PIECE_MAX = 8 * 1024 * 1024
/** Smaller ones would take too many rows; the last piece may be smaller. */
export const ARTIFACT_PIECE_MIN = 64 * 1024
/** Artifacts of one build. */
export const ARTIFACTS_MAX = 200
/** So many of them are in the build itself; the rest is in their list. */
export const ARTIFACTS_SHOWN = 100
/** The most builds of a job, branch and platform that can be asked to keep their artifacts. */
export const KEPT_BUILDS_MAX = 1_000
/** How long a share link of an artifact is valid, in days. */
export const SHARE_DAYS = 7
export const SHARE_DAYS_MAX = 30
/** Valid share links of one build. */
export const SHARE_LINKS_MAX = 100
/** Pixels of a picture: a browser needs four bytes for each. */
export const PICTURE_PIXELS_MAX = 100_000_000
/** Bytes of the cause that a person gives for a failed build. */
export const CAUSE_MAX = 1_000
/** Of a build that people start: how many, and bytes of `NAME=value`. */
export const PARAMETERS_MAX = 50
export const PARAMETER_MAX = 2_000
/** How many decisions may be made at once. */
/** Characters of a tool's list of its users: some 5,000 people. */
export const PEOPLE_LIST_MAX = 500_000
/** Members' names in other tools that one page shows. */
export const ALL_NAMES_MAX = 2_000
/** Names without a member that a reply lists. */
export const UNKNOWN_NAMES_MAX = 100
export const BULK_MAX = 200
/** Files of levels that one decision covers. */
export const LEVEL_PARTS_MAX = 20_000
/** Pages count up to here: one more digit would not help, and the count stays fast. */
export const COUNT_MAX = 10_000
/** The distance of a branch from its newest change is counted up to here. */
export const BEHIND_MAX = 1_000

/** For a build's log; the oldest part is dropped. */
export const LOG_MAX = 256_000
export const IDEMPOTENCY_KEY_MAX = 255
/** A longer branch name does not fit into the index. */
export const BRANCH_MAX = 500
/** For the URL of a webhook. */
export const URL_MAX = 2_000
/** A tool's signing secret, and how many are valid during a rotation. */
export const SIGNING_SECRET_MAX = 500
export const SIGNING_SECRETS_MAX = 5

/** For a failure rule. */
export const RULE = { tool: 60, pattern: 500, fix: 1_000, log: 20_000 }
export const CHANNEL_RULES_MAX = 50
/** How long a decision can be undone in the app. */
export const DECISION_UNDO_SECONDS = 10
export const APPROVAL_RULES_MAX = 50
export const APPROVAL_STAGES_MAX = 5
export const STAGE_APPROVALS_MAX = 10
export const STAGE_PEOPLE_MAX = 50
export const BUDGETS_MAX = 50
export const AGENT_PRICES_MAX = 50
/** For the rules that name the owners of tests. */
export const PATH_OWNERS_MAX = 20_000
/** The highest value of a measure that a budget can name. */
export const MEASURE_MAX = 1e15
/** For a pattern of branches, jobs, paths or authors, with stars. */
export const PATTERN_MAX = 200

/** For the name of a job, project or stream at a tool's server. */
export const PLACE_MAX = 500
/** Places that leads confirm for an integration, and unsigned ones that wait for it. */
export const PLACES_MAX = 500
export const PLACES_WAITING_MAX = 200

/** A time of day. */
export const CLOCK = /^([01]\d|2[0-3]):[0-5]\d$/

/** How many builds a project may allow bisections per day. */
export const BISECT_BUILDS_MAX = 1000
