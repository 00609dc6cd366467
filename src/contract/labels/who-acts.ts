import type { FailureCategory, WhoActs } from '../sets.ts'

interface Action {
  who_acts: WhoActs | null
  /** Whether the same build may pass if it runs again; null where nobody can say. */
  retry_may_help: boolean | null
}

const acts = (who_acts: WhoActs, retry_may_help = false): Action => ({ who_acts, retry_may_help })
const UNCLEAR: Action = { who_acts: null, retry_may_help: null }

/** The coarse level above the category: who can fix such a failure, and whether a retry is worth its time. */
export const ACTIONS: Readonly<Record<FailureCategory, Action>> = {
  compile_error: acts('code'),
  link_error: acts('code'),
  shader_error: acts('code'),
  missing_module_plugin: acts('code'),
  test_failure: acts('code'),
  lint_or_doc: acts('code'),
  crash: acts('code'),
  cook_asset_error: acts('content'),
  build_script_error: acts('build'),
  build_system: acts('build'),
  dependency_resolution: acts('build'),
  network: acts('machine', true),
  timeout: acts('machine', true),
  out_of_memory: acts('machine'),
  out_of_disk: acts('machine'),
  workspace_lock: acts('machine', true),
  scm_sync: acts('machine', true),
  license_seat: acts('machine', true),
  infra_agent: acts('machine', true),
  infrastructure: acts('machine', true),
  signing: acts('release'),
  delivery: acts('release', true),
  none: UNCLEAR,
  unknown: UNCLEAR,
}
