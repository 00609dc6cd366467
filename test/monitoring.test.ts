import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openObjectStore } from '../src/net/object-store.ts'
import { createDatabase, type TestDatabase } from './support/database.ts'
import { openStudio, type Studio } from './support/studio.ts'
import { workshop } from './support/studios/workshop.ts'

const read = (name: string) => readFileSync(new URL(`../deploy/monitoring/${name}`, import.meta.url), 'utf8')
const dashboard = JSON.parse(read('grafana-dashboard.json')) as { panels: { title: string; targets: { expr: string }[] }[] }
const rules = read('prometheus-rules.yml')

let own: TestDatabase
let studio: Studio
beforeAll(async () => {
  own = await createDatabase()
  // Metrics of a store exist only if one is configured; this one is never called.
  const objects = openObjectStore({ url: 'http://127.0.0.1:9/bucket', region: 'r', accessKey: 'a', secretKey: 's' })
  studio = await openStudio(workshop, { beside: own, service: { db: { ...own.db, objects } } })
})
afterAll(async () => {
  await studio.close()
  await own.drop()
})

test('every metric in the dashboard and the alerts is exported by the service', async () => {
  const { text } = await studio.ask('/metrics')
  const told = new Set(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].flatMap(([, name, type]) =>
      type === 'histogram' ? [`${name}_bucket`, `${name}_count`] : [name!],
    ),
  )
  const expressions = [
    ...dashboard.panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ...[...rules.matchAll(/^ +expr: (.+)$/gm)].map(([, expr]) => expr!),
  ]
  const named = new Set(
    expressions.flatMap((expr) => [...expr.matchAll(/\b(?:goldmaster|process|nodejs)_\w+/g)].map(([name]) => name)),
  )
  expect(named.size).toBeGreaterThan(10)
  expect([...named].filter((name) => !told.has(name))).toEqual([])
})
