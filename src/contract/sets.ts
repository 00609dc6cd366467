/** Every closed set of the API, declared once: parameters, shapes, CHECK constraints, flags and filters are derived from these. */

export const TASK_STATES = ['to_do', 'in_progress', 'blocked', 'completed'] as const
export type TaskState = (typeof TASK_STATES)[number]

export const TASK_TYPES = ['bug', 'feature', 'chore', 'art', 'content', 'balance'] as const
export type TaskType = (typeof TASK_TYPES)[number]

export const PRIORITIES = ['low', 'medium', 'high', 'critical'] as const
export type Priority = (typeof PRIORITIES)[number]

export const BUILD_STATUSES = [
  'queued',
  'preparing',
  'building',
  'completed',
  'failed',
  'cancelled',
  'passed_pending_approval',
] as const
export type BuildStatus = (typeof BUILD_STATUSES)[number]
export const RUNNING_STATUSES: readonly BuildStatus[] = ['queued', 'preparing', 'building']
/** The state that people see: a build that the CI reports as running is lost when it stopped reporting. */
export const buildState = ({ status, lost_at }: { status: BuildStatus; lost_at: string | null }): BuildStatus | 'lost' =>
  lost_at ? 'lost' : status
export const isRunning = ({ status, lost_at }: { status: BuildStatus; lost_at: string | null }): boolean =>
  !lost_at && RUNNING_STATUSES.includes(status)
/** The build itself passed, whether or not an approval is still open. */
export const PASSED_STATUSES: readonly BuildStatus[] = ['completed', 'passed_pending_approval']

/** A preflight builds a change that is not on the branch yet; a bisecting build only searches for the change that broke something. */
export const BUILD_KINDS = ['regular', 'preflight', 'bisect'] as const
export type BuildKind = (typeof BUILD_KINDS)[number]

/** The problem with a CI's times: ahead of their receipt and corrected, or long before it and kept. */
export const BUILD_TIME_NOTES = ['corrected', 'reported_late'] as const
export type BuildTimeNote = (typeof BUILD_TIME_NOTES)[number]

/** What speaks for or against a change that is suspected of a failure; `other` is a reason that a person or another tool gave. */
export const SUSPECT_REASONS = [
  'file_missing',
  'file_named',
  'file_contains',
  'file_related',
  'folder_named',
  'declares_dependencies',
  'controls_build',
  'words_shared',
  'found_by_bisection',
  'is_documentation',
  'no_capable_files',
  'other',
] as const
export type SuspectReason = (typeof SUSPECT_REASONS)[number]

/** Red if a required job failed last. */
export const BRANCH_STATES = ['green', 'red', 'building', 'unknown'] as const

/** How the changes between two builds were found: by position on a branch, by time alone, or not at all. */
export const RANGE_BASES = ['branch', 'time', 'unknown'] as const

/** The states that a person can set. `muted` and `claimed` ones are still red; a person or passes of every affected job make it `fixed`. */
export const BREAKAGE_EDIT_STATES = ['open', 'claimed', 'muted', 'fixed'] as const
export type BreakageEditState = (typeof BREAKAGE_EDIT_STATES)[number]

/** `withdrawn`: its builds moved to another breakage or turned out not to have failed. It is left out of all statistics. */
export const BREAKAGE_STATES = [...BREAKAGE_EDIT_STATES, 'withdrawn'] as const
export type BreakageState = (typeof BREAKAGE_STATES)[number]

export const WITHDRAWN_REASONS = ['same_as', 'not_a_failure', 'branch_deleted'] as const
export type WithdrawnReason = (typeof WITHDRAWN_REASONS)[number]

export const BREAKAGE_HISTORY_KINDS = [
  'opened',
  'joined',
  'claimed',
  'released',
  'assigned',
  'unassigned',
  'muted',
  'unmuted',
  'resolved',
  'fixed',
  'reopened',
  'withdrawn',
  'note',
  'task',
  'bisection_started',
  'bisection_ended',
] as const
export type BreakageHistoryKind = (typeof BREAKAGE_HISTORY_KINDS)[number]

/** Whether a change that is not on its branch yet is at fault; `unknown` without evidence. */
export const PREFLIGHT_VERDICTS = ['passed', 'failed_by_change', 'failed_not_by_change', 'unknown'] as const
export type PreflightVerdict = (typeof PREFLIGHT_VERDICTS)[number]

/** `no_change`: the failure comes and goes; `stuck`: the rest of the changes cannot be built. */
export const BISECTION_STATUSES = ['running', 'found', 'no_change', 'stuck', 'cancelled', 'failed'] as const
export type BisectionStatus = (typeof BISECTION_STATUSES)[number]

/** `skip`: the build does not show whether its change is good. */
export const BISECTION_VERDICTS = ['good', 'bad', 'skip'] as const
export type BisectionVerdict = (typeof BISECTION_VERDICTS)[number]

export const BUILD_TYPES = ['unreal', 'unity', 'custom'] as const
export type BuildType = (typeof BUILD_TYPES)[number]

export const TARGET_TYPES = ['development', 'shipping', 'test', 'debug'] as const
export type TargetType = (typeof TARGET_TYPES)[number]

export const ASSET_TYPES = [
  'texture',
  'model',
  'audio',
  'script',
  'level',
  'material',
  'animation',
  'archive',
  'shader',
  'config',
  'document',
  'font',
  'video',
] as const
export type AssetType = (typeof ASSET_TYPES)[number]

export const APPROVAL_STATUSES = ['pending', 'approved', 'denied', 'ignored'] as const
export type ApprovalStatus = (typeof APPROVAL_STATUSES)[number]

/** The decisions of a person; `pending` is the initial status, never a decision. */
export const DECISIONS = ['approved', 'denied', 'ignored'] as const
export type Decision = (typeof DECISIONS)[number]

/** An asset without any approval request has `none`. */
export const ASSET_APPROVAL_STATUSES = ['none', ...APPROVAL_STATUSES] as const
export type AssetApprovalStatus = (typeof ASSET_APPROVAL_STATUSES)[number]

export const SOURCE_TYPES = ['AssetCommit', 'GitCommit', 'Changelist'] as const
export type SourceType = (typeof SOURCE_TYPES)[number]

export const PLATFORMS = [
  'steam',
  'epic_games_store',
  'google_play',
  'apple_app_store',
  'unity_cloud',
  'custom',
  'reddit_devvit',
  'youtube_playables',
] as const
export type Platform = (typeof PLATFORMS)[number]

const PLATFORM_ALIASES: ReadonlyMap<string, Platform> = new Map<string, Platform>([
  ['steamworks', 'steam'],
  ['reddit', 'reddit_devvit'],
  ['devvit', 'reddit_devvit'],
  ['youtube', 'youtube_playables'],
  ['playables', 'youtube_playables'],
  ['epic', 'epic_games_store'],
  ['epic_games', 'epic_games_store'],
  ['google', 'google_play'],
  ['android', 'google_play'],
  ['apple', 'apple_app_store'],
  ['ios', 'apple_app_store'],
  ['app_store', 'apple_app_store'],
  ['unity', 'unity_cloud'],
])

/** The platform for a tool's name of a store; an unknown store is `custom`. */
export const platformOf = (name: string): Platform => {
  const word = name.trim().toLowerCase()
  return PLATFORM_ALIASES.get(word) ?? PLATFORMS.find((platform) => platform === word) ?? 'custom'
}

export const DEPLOYMENT_STATUSES = [
  'pending',
  'submitted',
  'uploading',
  'in_review',
  'approved',
  'rejected',
  'live',
  'rolled_back',
] as const
export type DeploymentStatus = (typeof DEPLOYMENT_STATUSES)[number]

/** How the build of a deployment was found; `promotion` is the build of the same upload on another track. */
export const BUILD_BASES = ['build_run', 'job', 'promotion', 'commit', 'changelist', 'version', 'number', 'person'] as const
export type BuildBasis = (typeof BUILD_BASES)[number]

/** Why a deployment has no build. */
export const BUILD_GAPS = ['not_named', 'not_known', 'not_passed', 'several', 'number_only', 'contradiction', 'removed'] as const
export type BuildGap = (typeof BUILD_GAPS)[number]

/** Why a task named by a change is left out of the release notes. */
export const RELEASE_GAPS = ['not_completed', 'breakage', 'infrastructure'] as const
export type ReleaseGap = (typeof RELEASE_GAPS)[number]

export const DEPLOYMENT_HISTORY_KINDS = ['status', 'build', 'note'] as const
export type DeploymentHistoryKind = (typeof DEPLOYMENT_HISTORY_KINDS)[number]

/** Who may create share links of artifacts: nobody, contributors who are no guests, or every contributor. */
export const SHARE_POLICIES = ['off', 'members', 'contributors'] as const
export type SharePolicy = (typeof SHARE_POLICIES)[number]

/** What happened to a record, in the history that every kind of record has. */
export const HISTORY_KINDS = [
  'created',
  'edited',
  'deleted',
  'restored',
  ...BREAKAGE_HISTORY_KINDS,
  'status',
  'build',
  'reported',
  'started',
  'finished',
  'lost',
  'investigated',
  'corrected',
  'correction_undone',
  'ci_requested',
  'shared',
  'share_revoked',
  'artifact_again',
  'submitted',
  'overwritten',
  'marked_good',
  'approval_requested',
  'signed_off',
  'approved',
  'denied',
  'ignored',
  'decision_undone',
  'preview_uploaded',
] as const
export type HistoryKind = (typeof HISTORY_KINDS)[number]

export const SCOPES = [
  'ping',
  'read:projects',
  'read:workspace_events',
  'read:tasks',
  'write:tasks',
  'read:builds',
  'write:builds',
  'read:assets',
  'write:assets',
  'read:members',
  'read:changes',
  'write:breakages',
  'write:deployments',
  'write:ci',
  'write:comments',
  'write:previews',
  'admin:projects',
  'admin:integrations',
  'admin:webhooks',
  'admin:tokens',
] as const
/** Everything but administration, which has to be requested by name. */
export const PLAIN_SCOPES: readonly Scope[] = SCOPES.filter((scope) => !scope.startsWith('admin:'))
/** The scopes that a login can grant; the list of members needs a manually created token. */
export const GRANTABLE_SCOPES: readonly Scope[] = PLAIN_SCOPES.filter((scope) => scope !== 'read:members')
/** Granted only to a login that requests them by name. */
const ASKED_SCOPES: readonly Scope[] = ['write:breakages', 'write:deployments', 'write:ci', 'write:comments', 'write:previews']
/** The scopes of a login that requests none. */
export const LOGIN_SCOPES: readonly Scope[] = GRANTABLE_SCOPES.filter((scope) => !ASKED_SCOPES.includes(scope))
export type Scope = (typeof SCOPES)[number]
/** Groups of tools for assistants, by the subject of scopes. Projects are always included, since the others need their ids. */
export const TOOLSETS: readonly string[] = [
  ...new Set(SCOPES.flatMap((scope) => /^(?:read|write):(?!projects|ci$)(.+)$/.exec(scope)?.[1] ?? [])),
]
/** How long a token from a browser login is valid. */
export const LOGIN_DAYS = 90

/** The records that people can comment on. */
export const COMMENT_SUBJECTS = ['task', 'build_run', 'breakage', 'change', 'asset', 'deployment'] as const
export type CommentSubject = (typeof COMMENT_SUBJECTS)[number]

export const REACTIONS = ['👍', '👎', '🎉', '❤️', '😄', '👀'] as const
export type Reaction = (typeof REACTIONS)[number]

/** `pending`: its file is being fetched; `none`: see its reason. */
export const PREVIEW_STATES = ['pending', 'ready', 'none'] as const
export type PreviewState = (typeof PREVIEW_STATES)[number]
export const PREVIEW_KINDS = ['picture', 'model', 'video', 'waveform', 'text'] as const
export type PreviewKind = (typeof PREVIEW_KINDS)[number]
/** Where a preview comes from: somebody uploaded it, it was inside an Unreal package, or it was made from the file. */
export const PREVIEW_SOURCES = ['upload', 'package', 'file'] as const
export type PreviewSource = (typeof PREVIEW_SOURCES)[number]
export const PREVIEW_SIZES = ['small', 'large', 'original'] as const
export type PreviewSize = (typeof PREVIEW_SIZES)[number]

export const PILLS = ['ok', 'err', 'info', 'warn', 'neutral'] as const
export type Pill = (typeof PILLS)[number]

export const PLANS = ['free', 'team', 'studio', 'enterprise'] as const
export type Plan = (typeof PLANS)[number]

export const DAILY_INVESTIGATIONS: Record<Plan, number> = { free: 3, team: 20, studio: 100, enterprise: 1000 }

export const PROJECT_STATUSES = ['active', 'paused', 'archived'] as const
export type ProjectStatus = (typeof PROJECT_STATUSES)[number]

/** Project roles in the API: a lead is an owner, everybody else is a member. */
export const ROLES = ['owner', 'member'] as const

/** In an account; the highest comes first. A guest only sees projects that list them. */
/** How a person's name in another tool became known. */
export const NAME_SOURCES = ['entered', 'address', 'sso', 'login', 'name'] as const
export type NameSource = (typeof NAME_SOURCES)[number]

export const NAME_STATES = ['waiting', 'confirmed', 'rejected'] as const
export type NameState = (typeof NAME_STATES)[number]

export const ACCOUNT_ROLES = ['owner', 'admin', 'member', 'guest'] as const
export type AccountRole = (typeof ACCOUNT_ROLES)[number]

/** In a project; the highest comes first. Owners and admins of the account lead every project. */
export const PROJECT_ROLES = ['lead', 'approver', 'contributor', 'viewer'] as const
export type ProjectRole = (typeof PROJECT_ROLES)[number]

/** The roles that can decide approvals. */
export const DECIDING_ROLES = ['lead', 'approver'] as const satisfies readonly ProjectRole[]

export const isAccountRole = (role: AccountRole | ProjectRole): role is AccountRole =>
  (ACCOUNT_ROLES as readonly string[]).includes(role)

/** Whether a role is at least the required one; both of the same kind. */
export const suffices = (role: AccountRole | ProjectRole | null, required: AccountRole | ProjectRole): boolean => {
  const roles: readonly string[] = isAccountRole(required) ? ACCOUNT_ROLES : PROJECT_ROLES
  return role !== null && roles.includes(role) && roles.indexOf(role) <= roles.indexOf(required)
}

/** How a test ended: `error` broke off, `flaky` failed and passed when it ran again. */
export const TEST_OUTCOMES = ['passed', 'failed', 'error', 'skipped', 'flaky'] as const
export type TestOutcome = (typeof TEST_OUTCOMES)[number]

/** A failure compared with the previous run of its tests on the branch; `unknown` if there is none. */
/** What fails a build that its CI calls passed. */
export const TEST_GATES = ['off', 'crashes', 'failures'] as const
export type TestGate = (typeof TEST_GATES)[number]
/** What a build counts as. */
export const BUILD_VERDICTS = ['passed', 'failed'] as const
export type BuildVerdict = (typeof BUILD_VERDICTS)[number]
export const TEST_FAILURE_STATES = ['new', 'still_failing', 'first_run', 'unknown'] as const
export type TestFailureState = (typeof TEST_FAILURE_STATES)[number]

/** Data that an account can keep for a number of days, up to the service's maximum. */
export const RETENTION_KINDS = [
  'bodies',
  'deliveries',
  'outgoing',
  'channel_messages',
  'notifications',
  'logs',
  'investigations',
] as const
export type RetentionKind = (typeof RETENTION_KINDS)[number]

/** Quotas of an account: bytes of stored bodies, deliveries a day, outbound webhooks, open streams per process, integrations,
 * invitations, and bytes of files. */
export const QUOTA_KINDS = [
  'stored_bytes',
  'deliveries',
  'webhooks',
  'streams',
  'integrations',
  'invitations',
  'file_bytes',
] as const
export type QuotaKind = (typeof QUOTA_KINDS)[number]

/** The states of an export file. */
export const EXPORT_STATUSES = ['waiting', 'running', 'done', 'failed'] as const
export type ExportStatus = (typeof EXPORT_STATUSES)[number]

export const READ_ONLY_REASONS = ['trial_expired', 'demo'] as const
export type ReadOnlyReason = (typeof READ_ONLY_REASONS)[number]

/** Why an account is blocked for one of its members: their address is not allowed, or they have no second factor. */
export const BLOCKED_REASONS = ['address', 'second_factor'] as const
export type BlockedReason = (typeof BLOCKED_REASONS)[number]

/** Who changed something: a signed-in user, a program with their token, an operator, the service itself, an identity provider. */
export const AUDIT_ACTORS = ['user', 'token', 'operator', 'job', 'provider'] as const
export type AuditActor = (typeof AUDIT_ACTORS)[number]

/** How a token was created: `admin` stands for operator commands and world files, which send no email. */
export const TOKEN_ORIGINS = ['web', 'cli', 'mcp', 'api', 'admin'] as const
export type TokenOrigin = (typeof TOKEN_ORIGINS)[number]

/** Kinds of tokens that people create for tools. */
export const MADE_TOKEN_KINDS = ['ugs_token', 'integration'] as const
export type MadeTokenKind = (typeof MADE_TOKEN_KINDS)[number]

/** How a signed-in person confirms their session. */
const CONFIRM_METHODS = ['code', 'password', 'passkey', 'sso'] as const
export type ConfirmMethod = (typeof CONFIRM_METHODS)[number]

/** An integration's provider is the first segment of its webhook path; `jenkins` is also served at `/webhooks/ci`. */
export const PROVIDERS = [
  'perforce',
  'jenkins',
  'buildkite',
  'teamcity',
  'circleci',
  'horde',
  'game_engine',
  'deployment',
  'github',
  'gitlab',
  'azure_devops',
  'gitea',
  'bitbucket',
  'plastic',
  'subversion',
  'jira',
  'linear',
  'trello',
  'monday',
  'asana',
  'clickup',
  'youtrack',
  'shortcut',
  'diversion',
  'lore',
] as const
export type ProviderName = (typeof PROVIDERS)[number]

/** Version control systems by the source type of their changes: authors are matched with the accounts people have there. */
export const CHANGE_SOURCES: Readonly<Partial<Record<ProviderName, SourceType>>> = {
  github: 'GitCommit',
  gitlab: 'GitCommit',
  azure_devops: 'GitCommit',
  gitea: 'GitCommit',
  bitbucket: 'GitCommit',
  diversion: 'GitCommit',
  perforce: 'Changelist',
  lore: 'AssetCommit',
  plastic: 'AssetCommit',
  subversion: 'AssetCommit',
}

/** Version controls that can be asked who has a file checked out. */
export const CHECKOUT_PROVIDERS = ['perforce'] as const satisfies readonly ProviderName[]
export type CheckoutProvider = (typeof CHECKOUT_PROVIDERS)[number]

/** CIs that can be asked to build a change. */
export const STARTABLE_PROVIDERS = ['jenkins', 'buildkite', 'github'] as const satisfies readonly ProviderName[]
export type StartableProvider = (typeof STARTABLE_PROVIDERS)[number]

/** CIs that can be asked for something about a build. */
export const ACTING_PROVIDERS = [...STARTABLE_PROVIDERS, 'gitlab', 'teamcity', 'horde'] as const satisfies readonly ProviderName[]
export type ActingProvider = (typeof ACTING_PROVIDERS)[number]

/** What a CI can be asked for: to run a build once more, to end it, to build the newest state of its branch. */
export const CI_ACTIONS = ['retry', 'stop', 'start'] as const
export type CiAction = (typeof CI_ACTIONS)[number]

export const PROVIDER_CATEGORIES = ['version_control', 'builds', 'stores', 'trackers'] as const
export type ProviderCategory = (typeof PROVIDER_CATEGORIES)[number]

export const PROVIDER_SIGNING = ['optional', 'required', 'handed_over'] as const
export type ProviderSigning = (typeof PROVIDER_SIGNING)[number]

/** Shown instead of a secret in an integration's settings, and sent back to keep it. */
export const KEPT_SECRET = '[kept secret]'

/** The result of a delivery; `accepted` ones are still being processed. */
export const DELIVERY_OUTCOMES = ['processed', 'accepted', 'duplicate', 'stale', 'ignored', 'failed'] as const
export type DeliveryOutcome = (typeof DELIVERY_OUTCOMES)[number]

/** `undoing`: the records that only the import reported are being deleted. */
export const IMPORT_STATES = ['running', 'done', 'cancelled', 'failed', 'undoing', 'undone'] as const
export type ImportState = (typeof IMPORT_STATES)[number]

/** What an import reads, in this order. */
export const IMPORT_PARTS = ['issues', 'changes', 'builds', 'deployments', 'releases', 'files'] as const
export type ImportPart = (typeof IMPORT_PARTS)[number]

export const INVESTIGATION_STATUSES = ['pending', 'running', 'completed', 'failed'] as const
export type InvestigationStatus = (typeof INVESTIGATION_STATUSES)[number]

export const CONFIDENCES = ['low', 'medium', 'high'] as const
export type Confidence = (typeof CONFIDENCES)[number]

/** Why a build failed. `infrastructure` is the finding for a build without a log; `none` is a log that shows no failure. */
export const FAILURE_CATEGORIES = [
  'compile_error',
  'link_error',
  'shader_error',
  'cook_asset_error',
  'missing_module_plugin',
  'test_failure',
  'lint_or_doc',
  'build_script_error',
  'build_system',
  'dependency_resolution',
  'network',
  'timeout',
  'out_of_memory',
  'out_of_disk',
  'workspace_lock',
  'scm_sync',
  'license_seat',
  'signing',
  'delivery',
  'infra_agent',
  'crash',
  'infrastructure',
  'none',
  'unknown',
] as const
export type FailureCategory = (typeof FAILURE_CATEGORIES)[number]
/** The categories that a person can choose for a failed build. */
export const CORRECT_CATEGORIES = FAILURE_CATEGORIES.filter((category) => category !== 'none')

/** Who can fix a failure: programmers, the content team, build engineers, administrators of machines and services, the release team. */
export const WHO_ACTS = ['code', 'content', 'build', 'machine', 'release'] as const
export type WhoActs = (typeof WHO_ACTS)[number]

/** The role of a failure rule's matching lines; see `diagnosis/rule.ts`. */
export const RULE_ROLES = ['root', 'wrapper', 'followup', 'noise'] as const

/** Asset types that need approval by default. */
export const APPROVED_TYPES: readonly AssetType[] = ['texture', 'model', 'audio', 'level', 'material', 'animation', 'video']

/** The state of an outbound webhook: paused by its owner, gone after a 410, or failing after days without success. */
export const WEBHOOK_STATUSES = ['active', 'paused', 'gone', 'failing'] as const
export type WebhookStatus = (typeof WEBHOOK_STATUSES)[number]

export const WEBHOOK_MESSAGE_STATUSES = ['waiting', 'delivered', 'failed'] as const
export type WebhookMessageStatus = (typeof WEBHOOK_MESSAGE_STATUSES)[number]

/** For Unreal Game Sync; the indexes in these lists are the numbers that its clients send and read. */
export const UGS_BADGE_STATES = ['Starting', 'Failure', 'Warning', 'Success', 'Skipped'] as const
export type UgsBadgeState = (typeof UGS_BADGE_STATES)[number]
/** Why a measure needs attention. */
export const MEASURE_ALERT_KINDS = ['exceeded', 'missing'] as const
export type MeasureAlertKind = (typeof MEASURE_ALERT_KINDS)[number]
export const MEASURE_ALERT_STATES = ['open', 'settled'] as const
export type MeasureAlertState = (typeof MEASURE_ALERT_STATES)[number]

export const UGS_VOTES = ['None', 'CompileSuccess', 'CompileFailure', 'Good', 'Bad'] as const
export type UgsVote = (typeof UGS_VOTES)[number]
export const UGS_EVENT_TYPES = [
  'Syncing',
  'Compiles',
  'DoesNotCompile',
  'Good',
  'Bad',
  'Unknown',
  'Starred',
  'Unstarred',
  'Investigating',
  'Resolved',
] as const
export type UgsEventType = (typeof UGS_EVENT_TYPES)[number]

/** Queues that are processed one message after the other. */
export const LANES = ['webhooks', 'channels', 'auditStreams', 'objects'] as const

export const BACKUP_STATUSES = ['running', 'good', 'failed'] as const
/** How a backup was tested: restored into a scratch database, or read to its end. */
export const BACKUP_TESTS = ['restored', 'read'] as const
