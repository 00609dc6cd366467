import { DAY, iso } from './calendar.ts'
import type { Game } from './game.ts'
import { OWNER } from './people.ts'

const RUNS = 40
/** A quarantine of this length began today. */
const QUARANTINE = 9 * DAY

interface Tested {
  key: string
  ci_job_name: string
  status: string
  finished_at?: string
  changelist?: string
  commit_hash?: string
  kind?: string | null
}

/** Test results of the newest passed builds of the job, oldest first. Builds of one change have the same results, or every test would be flaky. */
export function testResultsOf({ tests }: Game, builds: readonly Tested[], now: number) {
  if (!tests) return []
  const { job, platform, rhi, suites, quarantined } = tests
  const passed = builds
    .filter(({ ci_job_name, status, kind }) => ci_job_name === job && status === 'completed' && !kind)
    .sort((a, b) => (a.finished_at! < b.finished_at! ? 1 : -1))
    .slice(0, RUNS)
  const changes = [...new Set(passed.map(changeOf))]
  return passed
    .map((build, index) => ({ key: build.key, index, age: changes.indexOf(changeOf(build)) }))
    .map(({ key, index, age }) => ({
      build_run: key,
      platform,
      rhi,
      cases: suites.flatMap(([suite, names], at) =>
        names.map((name, place) => ({
          ...caseOf(tests, suite, name, age, at * 4 + place),
          ...(index === 0 &&
            name === quarantined.test && {
              quarantine: {
                until: iso(now + QUARANTINE),
                reason: quarantined.reason,
                owner: OWNER,
                user: OWNER,
                quarantined_at: iso(now),
              },
            }),
        })),
      ),
    }))
    .toReversed()
}

const changeOf = ({ changelist, commit_hash }: Tested) => changelist || commit_hash

function caseOf({ failureOf, retried }: NonNullable<Game['tests']>, suite: string, name: string, age: number, place: number) {
  const message = failureOf(name, age)
  const timed = { suite, class: suite, name, duration_ms: 400 + ((place * 7919 + age * 31) % 17) * 330 }
  if (message === undefined) return { ...timed, outcome: 'passed' }
  const file = `Source/CinderTests/${suite.slice(suite.indexOf('.') + 1)}.spec.cpp`
  return {
    ...timed,
    outcome: suite === retried ? 'flaky' : 'failed',
    message,
    details: `Error: ${message}`,
    file,
    line: 40 + place,
  }
}
