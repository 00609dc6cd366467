import * as param from './params.ts'
import * as sets from './sets.ts'

/** The filters of lists and searches by kind of record. */

export const tasks = {
  state: param.manyOf(sets.TASK_STATES),
  task_type: param.oneOf(sets.TASK_TYPES),
  priority: param.oneOf(sets.PRIORITIES),
  assignee: param.assignee,
  label: param.text,
  updated_since: param.instant,
}

export const builds = {
  status: param.oneOf(sets.BUILD_STATUSES),
  build_type: param.oneOf(sets.BUILD_TYPES),
  target_type: param.oneOf(sets.TARGET_TYPES),
}

export const assets = { pending_approval: param.flag, asset_type: param.oneOf(sets.ASSET_TYPES) }

export const approvals = {
  status: param.manyOf(sets.APPROVAL_STATUSES),
  stage: param.text,
  commit_sha: param.text,
  updated_since: param.instant,
}

export const changes = {
  identifier: param.text,
  source_type: param.oneOf(sets.SOURCE_TYPES),
  orphaned: param.flag,
  updated_since: param.instant,
}

export const deployments = {
  status: param.oneOf(sets.DEPLOYMENT_STATUSES),
  platform: param.oneOf(sets.PLATFORMS),
  build_run_id: param.reference,
  updated_since: param.instant,
}

export const breakages = {
  state: param.manyOf(sets.BREAKAGE_STATES),
  branch: param.described(param.text, 'branch or stream in any spelling'),
  category: param.oneOf(sets.FAILURE_CATEGORIES),
  owner: param.described(param.shortReference, 'user id of the owner'),
  since: param.described(param.instant, 'ISO 8601 timestamp, or a date alone; those that a build failed of then or later'),
}

/** A search's additional parameters. Words are compared with the shown text: no address is found. */
export const tasksSearch = { q: param.words('words of the title') }

export const buildsSearch = {
  q: param.words('words of job, number and branch'),
  branch: param.described(param.text, 'branch or stream in any spelling; where a build names none, that of its change'),
  job: param.described(param.text, 'exact name of the job'),
  changelist: param.described(param.text, 'exact number of the changelist'),
  commit: param.described(param.text, 'commit hash, or at least its first 7 characters'),
  author: param.words('words of the author of the change that was built'),
  finished_since: param.described(param.instant, 'ISO 8601 timestamp, or a date alone; builds that finished then or later'),
  finished_until: param.described(param.instant, 'ISO 8601 timestamp, or a date alone; builds that finished before it'),
}

export const assetsSearch = { q: param.words('words of name and path') }

export const changesSearch = {
  q: param.words('words of message, author, branch and identifier'),
  branch: param.described(param.text, 'branch or stream in any spelling'),
  author: param.words('words of the author'),
  path: param.words('part of the path of a changed file'),
}
