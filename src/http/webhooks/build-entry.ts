import { providers } from '../../intake/providers/index.ts'
import type { Entry } from './admission.ts'

/** The webhook token of any tool that reports builds. */
export const BUILD_ENTRY: Entry = {
  name: Object.values(providers)
    .filter(({ category, reportsBuilds }) => category === 'builds' || reportsBuilds)
    .map(({ name }) => name),
  tokenHeader: 'x-webhook-token',
}
