// Makes a release: `npm run release -- 0.2.0`. Writes the version where it stands, dates the changelog, commits and tags, then leaves the
// tarball, the single-file client, an SBOM and checksums in release/. Pushing stays with whoever releases; .github/workflows/release.yml
// then builds the files of the tag once more (`--files`), signs and publishes them.
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { sbom } from './sbom.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const out = join(root, 'release')
const run = (command, ...args) => execFileSync(command, args, { cwd: root, encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 })
const edit = (file, change) => writeFileSync(join(root, file), change(readFileSync(join(root, file), 'utf8')))
const stop = (why) => {
  console.error(why)
  process.exit(1)
}

const [version = '', isFilesOnly] = process.argv[2] === '--files' ? [process.argv[3], true] : [process.argv[2], false]
if (!/^\d+\.\d+\.\d+(-[\w.]+)?$/.test(version)) stop('Which version? npm run release -- 1.2.3')
if (isFilesOnly && JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')).version !== version)
  stop(`This is not ${version}.`)
if (!isFilesOnly) tag()

rmSync(out, { recursive: true, force: true })
mkdirSync(out)
// Packing runs the build.
run('npm', 'pack', '--pack-destination', out)
copyFileSync(join(root, 'dist/goldmaster.mjs'), join(out, 'goldmaster.mjs'))
writeFileSync(join(out, 'sbom.cdx.json'), `${JSON.stringify(sbom(), null, 2)}\n`)
const sums = readdirSync(out)
  .sort()
  .map(
    (file) =>
      `${createHash('sha256')
        .update(readFileSync(join(out, file)))
        .digest('hex')}  ${file}`,
  )
writeFileSync(join(out, 'SHA256SUMS'), `${sums.join('\n')}\n`)
if (!isFilesOnly) console.log(`release/ holds v${version}. Next: git push --follow-tags`)

/** Writes the version where it stands, commits and tags. */
function tag() {
  if (run('git', 'status', '--porcelain') !== '') stop('The working tree has changes that are not committed.')
  if (run('git', 'tag', '--list', `v${version}`) !== '') stop(`v${version} exists.`)

  const today = new Date().toISOString().slice(0, 10)
  edit('CHANGELOG.md', (text) => {
    if (!/^## Unreleased\n\n\S/m.test(text)) stop('Nothing stands under "Unreleased" in CHANGELOG.md.')
    return text.replace('## Unreleased\n', `## Unreleased\n\n## ${version} (${today})\n`)
  })
  edit('src/contract/version.ts', (text) => text.replace(/(VERSION = )'[^']+'/, `$1'${version}'`))
  run('npm', 'version', version, '--no-git-tag-version', '--allow-same-version')
  run('git', 'commit', '--all', '--message', `Release ${version}`)
  run('git', 'tag', '--annotate', `v${version}`, '--message', `Goldmaster ${version}`)
}
