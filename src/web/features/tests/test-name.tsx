import { Link } from '@tanstack/react-router'

interface Named {
  id: string
  suite: string
  class: string
  name: string
  report: string | null
  platform: string | null
}

export const titleOf = ({ class: className, name }: Pick<Named, 'class' | 'name'>) =>
  className === '' ? name : `${className}.${name}`

/** What else tells it apart from a test with the same name. */
export const placeOf = ({ report, platform }: Pick<Named, 'report' | 'platform'>) =>
  [report, platform].filter((part) => part !== null).join(', ')

export const TestLink = ({ projectId, test }: { projectId: string; test: Named }) => (
  <Link
    to="/projects/$projectId/tests/$testId"
    params={{ projectId, testId: test.id }}
    className="wrap-anywhere min-w-0 font-medium hover:underline"
  >
    <bdi>{titleOf(test)}</bdi>
  </Link>
)

export const secondsOf = (ms: number) => (ms < 10_000 ? `${(ms / 1000).toFixed(2)} s` : `${Math.round(ms / 1000)} s`)

export const percent = (part: number, of: number) => `${Math.round((100 * part) / Math.max(1, of))} %`
