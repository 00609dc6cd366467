import type { AppReply } from '../../../contract/app/routes.ts'

type Pattern = AppReply<'showProjectSettings'>['job_patterns'][number]

/** `Nightly-*: PS5, Shipping`; without a platform `Nightly-*: , Shipping`. */
export const linesOfPatterns = (patterns: readonly Pattern[]) =>
  patterns
    .map(({ pattern, platform = '', configuration }) => `${pattern}: ${platform}${configuration ? `, ${configuration}` : ''}`)
    .join('\n')

/** The last colon ends the pattern, since the name of a job may contain one. */
export const patternsOf = (text: string): Pattern[] =>
  text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
    .map((line) => {
      const split = line.lastIndexOf(':')
      const [pattern, values] = split === -1 ? [line, ''] : [line.slice(0, split), line.slice(split + 1)]
      const [platform = '', configuration = ''] = values.split(',').map((value) => value.trim())
      return { pattern: pattern.trim(), ...(platform && { platform }), ...(configuration && { configuration }) }
    })
