import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { expect, test } from 'vitest'

const SRC = resolve(import.meta.dirname, '../src')

/** Who may see whom. A room not named here may import nothing of ours; files beside the rooms wire them and may see all. */
const MAY_IMPORT: Record<string, string[]> = {
  contract: [],
  db: ['contract'],
  diagnosis: ['contract'],
  domain: ['contract', 'db', 'diagnosis'],
  intake: ['contract', 'db', 'domain'],
  jobs: ['contract', 'db', 'domain', 'intake'],
  demo: ['contract', 'domain'],
  admin: ['contract', 'db', 'domain', 'diagnosis', 'intake'],
  http: ['contract', 'db', 'domain', 'intake', 'mcp'],
  mcp: ['contract'],
  web: ['contract'],
  cli: ['contract', 'diagnosis', 'mcp'],
}
/** A provider is pure: it knows facts, words and how to read, never the database. */
const PROVIDERS_MAY_IMPORT = /^(intake\/(facts|signatures|reading|build-report|unity|providers\/[\w-]+)|contract\/sets)\.ts$/

const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' }).filter((file) => /(?<!\.test)\.tsx?$/.test(file))

const importsOf = (file: string) =>
  [...readFileSync(join(SRC, file), 'utf8').matchAll(/(?:from|import)\s*\(?\s*'(\.[^']+)'/g)].map(([, path]) =>
    relative(SRC, resolve(SRC, dirname(file), path!)),
  )

test.each(files)('%s imports only what its room may see', (file) => {
  const room = file.includes('/') ? file.split('/')[0]! : undefined
  if (room === undefined) return
  for (const target of importsOf(file)) {
    if (file.startsWith('intake/providers/')) expect(target).toMatch(PROVIDERS_MAY_IMPORT)
    else expect([room, ...(MAY_IMPORT[room] ?? [])], `${file} imports ${target}`).toContain(target.split('/')[0])
  }
})
