import type { FailureCategory } from '../../contract/sets.ts'

/** A category in words, and what usually helps. */
export const ADVICE: Readonly<Record<FailureCategory, { what: string; fix: string }>> = {
  compile_error: {
    what: 'The code does not compile',
    fix: 'Fix the first error the compiler prints; the ones after it often follow from it.',
  },
  link_error: {
    what: 'Linking failed',
    fix: 'Look for a definition that was removed or renamed, or a module or library missing from the dependencies of the target.',
  },
  shader_error: {
    what: 'A shader does not compile',
    fix: 'Fix the shader at the line shown, for every platform it is compiled for.',
  },
  cook_asset_error: {
    what: 'Cooking the content failed',
    fix: 'Open the asset named in the evidence in the editor, fix or resave it, and make sure everything it refers to was submitted.',
  },
  missing_module_plugin: {
    what: 'A module or plugin is missing',
    fix: 'Submit the missing module or plugin, enable it for this target, or remove what refers to it.',
  },
  test_failure: { what: 'A test failed', fix: 'Run the failing test locally and compare what it expected with what it got.' },
  lint_or_doc: {
    what: 'A style or documentation check failed',
    fix: 'Correct the places listed, or run the formatter, and submit again.',
  },
  build_script_error: {
    what: 'The build script failed',
    fix: 'Check the command that failed and what it expects to find on the build machine.',
  },
  build_system: { what: 'The build configuration is wrong', fix: 'Fix the build file at the place shown and configure again.' },
  dependency_resolution: {
    what: 'A dependency could not be resolved',
    fix: 'Check the name and version of the package and whether its registry still has it; pin it if it moved.',
  },
  network: {
    what: 'The network or a remote service failed',
    fix: 'Run the build again; if it keeps failing, check the remote service and the limits of the account.',
  },
  timeout: {
    what: 'The build took too long and was stopped',
    fix: 'Look for what hung right before the end, or raise the limit if the work has grown.',
  },
  out_of_memory: {
    what: 'The build machine ran out of memory',
    fix: 'Run fewer jobs in parallel or give the machine more memory.',
  },
  out_of_disk: {
    what: 'The build machine ran out of disk space',
    fix: 'Free space on the build machine: old workspaces, caches, images.',
  },
  workspace_lock: {
    what: 'Something else holds the workspace',
    fix: 'End the other process or remove its stale lock, and do not run two builds in one workspace.',
  },
  scm_sync: {
    what: 'Getting the sources failed',
    fix: 'Check that the branch, revision or large file still exists and that the build machine may read it.',
  },
  license_seat: {
    what: 'No license was available',
    fix: 'Activate the license on the build machine, or free a seat that a dead machine still holds.',
  },
  signing: {
    what: 'Signing failed',
    fix: 'Check the certificate and profile on the build machine: present, not expired, for this identifier and team.',
  },
  delivery: {
    what: 'The upload to a store or a tester service failed',
    fix: 'Check the login, the application and branch it goes to, and what the service says about the upload; the build itself is done.',
  },
  infra_agent: { what: 'The build machine failed', fix: 'Run the build again on another machine and check the one that failed.' },
  crash: { what: 'A tool crashed', fix: 'Read the top of the stack that is yours; if none is, update or report the tool.' },
  infrastructure: {
    what: 'The build left no log',
    fix: 'Check the build machine and the build service; there is nothing to read.',
  },
  none: { what: 'The log shows no failure', fix: 'Nothing to fix in what the log shows.' },
  unknown: {
    what: 'The cause is not clear',
    fix: 'Read the lines shown first; they are the most telling ones of the step that failed.',
  },
}
