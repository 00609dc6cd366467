import type { CiAction } from '../../contract/sets.ts'
import type { BuildSubject } from '../../domain/integrations/job-subjects.ts'
import type { AllowedHosts } from '../../net/addresses.ts'
import type { Json } from '../reading.ts'

/** The setting that lets people choose parameters when they start a build. */
export const START_PARAMETERS = {
  key: 'start_parameters',
  label: 'Parameters for new builds',
  hint: 'PLATFORM=Win64|PS5, NOTE. People may set these when they start a build; without values, to any text.',
}

/** Asks the CI of a build for something, with the opened settings of its integration. Throws its refusal. */
export type Act = (
  action: CiAction,
  build: BuildSubject,
  config: Readonly<Json>,
  allowed: AllowedHosts,
  /** With `start`: what people chose; checked against the settings. */
  parameters: Readonly<Record<string, string>>,
) => Promise<unknown>
