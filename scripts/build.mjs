// Builds dist/: the CLI, the service with its migrations, and the web app. With --if-stale only if something changed.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { isStale } from './stale.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (path) => `${root}${path}`
const SOURCES = ['src', 'scripts', 'package-lock.json', 'vite.config.ts'].map(at)
/** Written last: if it exists, the rest is complete. */
const COMPLETE = at('dist/THIRD-PARTY-NOTICES.txt')

const installed = (name) => {
  try {
    return createRequire(import.meta.url).resolve(name)
  } catch {
    return undefined
  }
}

async function build() {
  const { bundleClient, bundleInPlace, bundleRun } = await import('./bundle-client.mjs')
  const { bundleService } = await import('./bundle-service.mjs')
  const { noticesFor } = await import('./third-party-notices.mjs')
  console.error('Building Goldmaster. This takes up to a minute.')
  rmSync(at('dist'), { recursive: true, force: true })
  execFileSync(process.execPath, [at('node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
    stdio: 'inherit',
    cwd: root,
  })
  // The single-file CLI, and an entry point that starts as fast as Node does.
  await bundleClient(at('dist/goldmaster.mjs'))
  await bundleRun(at('dist/goldmaster-run.mjs'))
  const inputs = [...(await bundleInPlace(at('dist'))), ...(await bundleService(at('dist/server')))]
  // Those of the web app are next to it.
  writeFileSync(COMPLETE, noticesFor(inputs))
}

if (!process.argv.includes('--if-stale') || isStale(COMPLETE, SOURCES)) {
  if (installed('esbuild') && installed('vite')) await build()
  else {
    console.error(
      'goldmaster: Building needs the packages that --omit=dev leaves out: run npm ci. A built copy needs none of them.',
    )
    process.exit(1)
  }
}
