import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ACTING_PROVIDERS, STARTABLE_PROVIDERS } from '../../contract/sets.ts'
import type { BuildFact } from '../facts.ts'
import type { Provider } from '../provider.ts'
import { providers } from './index.ts'
import { canListUsers } from './people.ts'

/** A failed build, with its id as each of the tools spells it. */
const FAILURES = ['build:7', 'run:7', 'pipeline:7', 'pipeline:{r1}:7', 'horde:7'].map(
  (external_id): BuildFact => ({
    kind: 'build',
    build: { external_id, job: 'Cook', number: '7' },
    status: 'failed',
    url: 'https://ci.example/job/Cook/7/',
    repository: { id: '3', name: 'owl/star' },
  }),
)

const ABILITIES: [heading: string, (provider: Provider) => boolean][] = [
  ['Log of a failed build', ({ followUp }) => FAILURES.some((build) => followUp?.(build, 1, 1) !== undefined)],
  ['Retry, stop, start', ({ name }) => (ACTING_PROVIDERS as readonly string[]).includes(name)],
  ['Bisection', ({ name }) => (STARTABLE_PROVIDERS as readonly string[]).includes(name)],
  ['Import', ({ history }) => history !== undefined],
  ['Users', ({ name }) => canListUsers(name)],
  ['Results', ({ server }) => server?.writeBackNeeds !== undefined],
  ['Files for previews', ({ givesFiles }) => givesFiles === true],
]

const row = (cells: readonly string[]) => `| ${cells.join(' | ')} |`

test('the documentation says what each tool can be asked for', () => {
  const rows = Object.values(providers).flatMap((provider) => {
    const can = ABILITIES.map(([, isAble]) => isAble(provider))
    expect(provider.server !== undefined, provider.name).toBe(can.includes(true))
    return provider.server ? row([provider.label, ...can.map((isAble) => (isAble ? 'yes' : '–'))]) : []
  })
  const table = [row(['Tool', ...ABILITIES.map(([heading]) => heading)]), `|---${'|---'.repeat(ABILITIES.length)}|`, ...rows]
  const page = readFileSync(new URL('../../../docs/integrations.md', import.meta.url), 'utf8')
  const [shown] = page.slice(page.indexOf(table[0]!)).split('\n\n')
  expect(shown!.split('\n')).toEqual(table)
})
