import { existsSync, readdirSync, readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CHANGE_SOURCES, PROVIDERS, type ProviderName } from '../../contract/sets.ts'
import { isChange } from '../facts.ts'
import type { Delivery } from '../provider.ts'
import { Unreadable } from '../reading.ts'
import { providers } from './index.ts'

interface Fixture {
  path: string
  headers: Record<string, string>
  body: unknown
}

const NOW = '2026-03-01T12:00:00.000Z'

const json = (address: URL) => JSON.parse(readFileSync(address, 'utf8'))

const delivery = ({ path, headers, body }: Fixture): Delivery => ({
  path,
  headers,
  raw: Buffer.from(JSON.stringify(body) ?? ''),
  body,
  url: `https://goldmaster.example/webhooks/${path}?token=${'ab'.repeat(32)}`,
  received: new Date(NOW),
  config: {},
})

/** Providers without published payloads; SOURCES.md in their fixtures lists what was searched, and their own tests write some. */
const UNPUBLISHED: readonly ProviderName[] = ['diversion']

describe.each(PROVIDERS)('%s', (name) => {
  const provider = providers[name]
  const room = new URL(`${name.replace('_', '-')}/fixtures/`, import.meta.url)
  const names = readdirSync(room).flatMap((file) => /^(.+?)(?<!\.facts)\.json$/.exec(file)?.[1] ?? [])
  const fixtures = names.map((name): [string, Fixture] => [name, json(new URL(`${name}.json`, room))])
  const sample = {
    path: provider.paths[0]!,
    headers: {},
    ...provider.sample({ mark: 7, now: NOW, title: 'A title', job: 'a job' }),
  }

  test('has its own name', () => expect(provider.name).toBe(name))

  test('has real payloads with their sources', () => {
    expect(readdirSync(room)).toContain('SOURCES.md')
    expect(names.length > 0).toBe(!UNPUBLISHED.includes(name))
  })

  test("reads its own sample as facts, with changes of its version control's type", () => {
    const facts = provider.read(delivery(sample))
    expect(provider.paths).toContain(sample.path)
    expect(facts).not.toEqual([])
    expect(CHANGE_SOURCES[name]).toBe(facts.find(isChange)?.source_type)
    expect(facts.some(isChange)).toBe(provider.category === 'version_control')
  })

  test.each(fixtures)('reads %s as its expected facts', (name, fixture) => {
    expect(provider.paths).toContain(fixture.path)
    expect(provider.event(delivery(fixture))).not.toBe('')
    expect(provider.read(delivery(fixture))).toEqual(json(new URL(`${name}.facts.json`, room)))
  })

  test('has no expected facts without a payload', () => {
    const expected = readdirSync(room).filter((file) => file.endsWith('.facts.json'))
    for (const file of expected) expect(existsSync(new URL(file.replace('.facts.json', '.json'), room)), file).toBe(true)
  })

  test('survives any value at any position of its payloads', () => {
    const places = [...fixtures.map(([, fixture]) => fixture), sample].flatMap((fixture) =>
      paths(fixture.body).map((path) => ({ fixture, path })),
    )
    const hostile = fc.oneof(
      fc.jsonValue(),
      fc.constant(JSON.parse('{"toString": 1, "__proto__": {"key": "X-1"}, "valueOf": null}')),
    )
    fc.assert(
      fc.property(fc.constantFrom(...places), hostile, ({ fixture, path }, value) => {
        const changed = delivery({ ...fixture, body: replaced(fixture.body, path, value) })
        expect(typeof provider.event(changed)).toBe('string')
        provider.deliveryKey?.(changed)
        provider.handshake?.(changed)
        provider.verify?.(changed, ['a secret'])
        try {
          provider.read(changed)
        } catch (error) {
          expect(error).toBeInstanceOf(Unreadable)
        }
      }),
      { numRuns: 500 },
    )
  })
})

const paths = (value: unknown): string[][] => [
  [],
  ...(typeof value === 'object' && value !== null
    ? Object.entries(value).flatMap(([key, inner]) => paths(inner).map((rest) => [key, ...rest]))
    : []),
]

function replaced(value: unknown, [key, ...rest]: string[], by: unknown): unknown {
  if (key === undefined) return by
  const inner = replaced((value as Record<string, unknown>)[key], rest, by)
  return Array.isArray(value) ? value.with(Number(key), inner) : { ...(value as object), [key]: inner }
}
