import type { CiAction } from '../../contract/sets.ts'
import type { BuildSubject } from '../../domain/integrations/job-subjects.ts'
import type { AllowedHosts } from '../../net/addresses.ts'
import type { Json } from '../reading.ts'

/** Asks the CI of a build for something, with the opened settings of its integration. Throws its refusal. */
export type Act = (action: CiAction, build: BuildSubject, config: Readonly<Json>, allowed: AllowedHosts) => Promise<unknown>
