import * as param from './params.ts'
import * as sets from './sets.ts'

/** The filters of lists and searches by kind of record. */

export const tasks = {
  state: param.manyOf(sets.TASK_STATES),
  task_type: param.oneOf(sets.TASK_TYPES),
  priority: param.oneOf(sets.PRIORITIES),
  assignee: param.described(param.assignee, 'Assignee: handle:<agent-handle> or user:<user id>'),
  label: param.described(param.text, 'Label (exact)'),
  updated_since: param.instant,
}

export const builds = {
  status: param.oneOf(sets.BUILD_STATUSES),
  build_type: param.oneOf(sets.BUILD_TYPES),
  target_type: param.oneOf(sets.TARGET_TYPES),
}

export const assets = {
  pending_approval: param.described(param.flag, 'Only assets waiting for approval'),
  asset_type: param.oneOf(sets.ASSET_TYPES),
}

export const approvals = {
  status: param.manyOf(sets.APPROVAL_STATUSES),
  stage: param.described(param.text, 'Approval stage, such as art_review'),
  commit_sha: param.described(param.text, 'Commit or changelist (exact)'),
  updated_since: param.instant,
}

/** Of the approval queue. */
export const queue = {
  asset_type: param.oneOf(sets.ASSET_TYPES),
  author: param.described(param.text, 'Author of the change (exact)'),
  branch: param.described(param.text, 'Branch or stream of the change'),
  path: param.described(param.text, 'Part of the path; * matches any text'),
}

export const changes = {
  identifier: param.described(param.text, 'Commit or changelist (exact)'),
  source_type: param.oneOf(sets.SOURCE_TYPES),
  orphaned: param.described(param.flag, 'Include commits that a force push removed'),
  updated_since: param.instant,
}

export const deployments = {
  status: param.oneOf(sets.DEPLOYMENT_STATUSES),
  platform: param.oneOf(sets.PLATFORMS),
  build_run_id: param.described(param.reference, 'Id of the build run'),
  updated_since: param.instant,
}

export const deploymentsSearch = {
  current: param.described(param.flag, 'Only what is live'),
}

export const breakages = {
  state: param.manyOf(sets.BREAKAGE_STATES),
  branch: param.described(param.text, 'Branch or stream, such as main or //game/main'),
  category: param.oneOf(sets.FAILURE_CATEGORIES),
  owner: param.described(param.shortReference, 'User id of the owner'),
  since: param.described(param.instant, 'ISO 8601 time or date; only breakages with a failed build since then'),
}

/** A search's additional parameters. Words are compared with the shown text: no address is found. */
export const tasksSearch = { q: param.words('Words in the title') }

export const buildsSearch = {
  q: param.words('Words in job, number and branch'),
  branch: param.described(param.text, 'Branch or stream of the build, or of its change'),
  job: param.described(param.text, 'Job name (exact)'),
  platform: param.described(param.text, 'Platform, such as Win64 or PS5'),
  configuration: param.described(param.text, 'Configuration, such as Shipping'),
  agent: param.described(param.text, 'Agent, the machine that built it (exact)'),
  changelist: param.described(param.text, 'Changelist number (exact)'),
  commit: param.described(param.text, 'Commit hash, or at least its first 7 characters'),
  author: param.words('Words in the author of the built change'),
  finished_since: param.described(param.instant, 'ISO 8601 time or date; only builds that finished at or after it'),
  finished_until: param.described(param.instant, 'ISO 8601 time or date; only builds that finished before it'),
}

export const artifactName = param.described(param.text, 'File name, with * for anything, such as *.zip')

/** Which passed build, and which of its artifacts. */
export const artifacts = {
  job: buildsSearch.job,
  branch: buildsSearch.branch,
  platform: buildsSearch.platform,
  configuration: buildsSearch.configuration,
  name: artifactName,
}

export const assetsSearch = { q: param.words('Words in name and path') }

export const changesSearch = {
  q: param.words('Words in message, author, branch and identifier'),
  branch: param.described(param.text, 'Branch or stream, such as main or //game/main'),
  author: param.words('Words in the author'),
  path: param.words('Part of the path of a changed file'),
}
