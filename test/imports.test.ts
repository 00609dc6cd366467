import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/**
 * Allowed imports by folder of src. A folder not listed here may import nothing of ours; `main.ts` may import all.
 */
const MAY_IMPORT: Record<string, string[]> = {
  contract: [],
  db: ['contract'],
  diagnosis: ['contract'],
  measures: [],
  'test-results': ['contract'],
  net: ['contract'],
  terminal: ['contract'],
  processes: ['contract'],
  previews: ['contract', 'processes'],
  domain: ['contract', 'db', 'diagnosis', 'measures', 'test-results', 'previews'],
  world: ['contract', 'db', 'domain'],
  intake: ['contract', 'db', 'net', 'domain', 'test-results', 'processes', 'previews'],
  jobs: ['contract', 'db', 'net', 'domain', 'world', 'processes', 'intake'],
  demo: ['contract', 'db', 'domain', 'world'],
  admin: ['contract', 'terminal', 'db', 'domain', 'world', 'diagnosis', 'intake'],
  http: ['contract', 'db', 'net', 'domain', 'intake', 'mcp'],
  mcp: ['contract'],
  web: ['contract'],
  cli: ['contract', 'terminal', 'diagnosis', 'mcp'],
  service: ['contract', 'db', 'net', 'previews', 'domain', 'intake', 'jobs', 'demo', 'admin', 'http', 'cli'],
}
test.each(Object.entries(MAY_IMPORT))(
  'src/%s/README.md says what the folder may import, and names files that exist',
  (room, others) => {
    const text = readFileSync(join(SRC, room, 'README.md'), 'utf8')
    const named = others.map((other) => `\`${other}\``).join(', ') || 'nothing of ours'
    expect(text).toContain(`May import: ${named}.`)
    const paths = [...text.matchAll(/`((?:[\w-]+\/)*[\w-]+(?:\/|\.(?:tsx?|sql|md)))`/g)]
      .map(([, path]) => path!)
      .filter((path) => !path.includes('NN'))
    const roots = [join(SRC, room), SRC, join(SRC, '..')]
    expect(paths.filter((path) => !roots.some((root) => existsSync(join(root, path))))).toEqual([])
  },
)

/** A provider's reader is pure: it knows facts, sets and readers, never the database. */
const READING =
  /^intake\/providers\/[\w-]+\/(?!abilities|act|setup|jobs|server|console|poll|start|describe-job|write-back)[\w-]+\.ts$/
const READING_MAY_IMPORT =
  /^(intake\/(bounds|facts|provider|history\/history|signatures|reading|build-origin|build-report|reports\/[\w-]+|providers\/(?:unity|graphql|user-list)|providers\/[\w-]+\/[\w-]+)|contract\/(?:sets|spellings\/[\w-]+))\.ts$/

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test|\.d)\.tsx?$/.test(file))

const importsOf = (file: string) =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) =>
    relative(SRC, resolve(SRC, dirname(file), path!)),
  )
const imports = new Map(files.map((file) => [file, importsOf(file)]))

test.each(files)('%s imports only what its folder may', (file) => {
  const room = file.includes('/') ? file.split('/')[0]! : undefined
  if (room === undefined) return
  for (const target of imports.get(file)!) {
    if (READING.test(file)) expect(target).toMatch(READING_MAY_IMPORT)
    else expect([room, ...(MAY_IMPORT[room] ?? [])], `${file} imports ${target}`).toContain(target.split('/')[0])
  }
})

test('no two files import each other', () => {
  const circles = files.flatMap((file) =>
    imports
      .get(file)!
      .filter((target) => file < target && imports.get(target)?.includes(file))
      .map((target) => `${file} ↔ ${target}`),
  )
  expect(circles).toEqual([])
})

/** The layers of `domain`, lowest first. */
const FLOORS = [
  ['access', 'accounts', 'audit', 'mail', 'objects', 'privacy', 'sign-in'],
  [
    'agents',
    'artifacts',
    'assets',
    'branches',
    'builds',
    'changes',
    'comments',
    'contents',
    'deployments',
    'files',
    'integrations',
    'measures',
    'previews',
    'projects',
    'tasks',
    'tests',
  ],
  ['breakages', 'feed', 'history', 'investigations', 'search', 'ugs'],
  ['channels', 'inbox', 'sending', 'webhooks'],
  ['operations', 'retention'],
]

const FLOOR_NAMES = ['foundations', 'records', 'reactions', 'telling', 'operations']

test('a layer of domain imports nothing of the layers above it', () => {
  const inDomain = files.filter((file) => file.startsWith('domain/'))
  const floorOf = (file: string) => FLOORS.findIndex((folders) => folders.includes(file.split('/')[1]!))
  expect(inDomain.filter((file) => floorOf(file) < 0)).toEqual([])
  const upwards = inDomain.flatMap((file) =>
    imports
      .get(file)!
      .filter((target) => target.startsWith('domain/') && floorOf(target) > floorOf(file))
      .map((target) => `${file} → ${target}`.replaceAll('domain/', '')),
  )
  expect(upwards).toEqual([])
})

/** The folders of domain that each folder imports. */
const arrows = new Map<string, Set<string>>()
for (const file of files.filter((file) => file.startsWith('domain/')))
  for (const target of imports.get(file)!.filter((target) => target.startsWith('domain/'))) {
    const [from, to] = [file.split('/')[1]!, target.split('/')[1]!]
    if (from !== to) arrows.set(from, (arrows.get(from) ?? new Set()).add(to))
  }

function reached(from: string, seen = new Set<string>()): Set<string> {
  for (const next of arrows.get(from) ?? [])
    if (!seen.has(next)) {
      seen.add(next)
      reached(next, seen)
    }
  return seen
}

test('folders of domain import each other without a cycle', () => {
  expect([...arrows.keys()].filter((folder) => reached(folder).has(folder))).toEqual([])
})

/** Without arrows that a longer path implies. */
function pictureOf(): string {
  const lines = FLOORS.flatMap((folders, floor) => [
    `  subgraph ${FLOOR_NAMES[floor]}`,
    ...folders.toSorted().map((folder) => `    ${folder}`),
    '  end',
  ])
  for (const [from, targets] of [...arrows].toSorted(([a], [b]) => (a < b ? -1 : 1)))
    for (const to of [...targets].sort())
      if (![...targets].some((between) => between !== to && reached(between).has(to))) lines.push(`  ${from} --> ${to}`)
  return ['```mermaid', 'flowchart TD', ...lines, '```'].join('\n')
}

test('docs/architecture.md shows the imports between the folders of domain', () => {
  expect(readFileSync(join(SRC, '../docs/architecture.md'), 'utf8')).toContain(pictureOf())
})

test('no folder has more than 25 source files', () => {
  const sizes = new Map<string, number>()
  for (const file of files) sizes.set(dirname(file), (sizes.get(dirname(file)) ?? 0) + 1)
  expect([...sizes].filter(([, size]) => size > 25)).toEqual([])
})

test("no type is derived from another folder's function arguments", () => {
  expect(files.filter((file) => readFileSync(join(SRC, file), 'utf8').includes('Parameters<typeof'))).toEqual([])
})

test('every error is created in contract/errors.ts', () => {
  expect(files.filter((file) => readFileSync(join(SRC, file), 'utf8').includes('new ApiError('))).toEqual(['contract/errors.ts'])
})
