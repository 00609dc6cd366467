import { execFileSync } from 'node:child_process'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'

export const ROOT = resolve(import.meta.dirname, '../..')
/** Test files that import this one run what it builds. */
export const BUILT = import.meta.filename
const at = (path: string) => join(ROOT, path)

/** The shipped `goldmaster`: from the sources each start would cost several times as much, and tests start it dozens of times. */
export const PROGRAM = at('dist/main.js')
/** The single-file CLI. */
export const CLIENT = at('dist/goldmaster.mjs')
/** The same with `run` alone. */
export const RUN_CLIENT = at('dist/goldmaster-run.mjs')

const { isStale } = await import(pathToFileURL(at('scripts/stale.mjs')).href)

/** The page of the web app. */
export const WEB = at('dist/web/index.html')

export function buildWeb() {
  if (!isStale(WEB, ['src/web', 'src/contract'].map(at))) return
  execFileSync(process.execPath, [at('node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
    cwd: ROOT,
    // As shipped: the test runner's NODE_ENV would give React's development build.
    env: { ...process.env, NODE_ENV: 'production' },
    stdio: 'inherit',
  })
}

export async function buildProgram() {
  if (![PROGRAM, CLIENT, RUN_CLIENT].some((file) => isStale(file, ['src', 'scripts'].map(at)))) return
  const { bundleService } = await import(pathToFileURL(at('scripts/bundle-service.mjs')).href)
  const { bundleClient, bundleInPlace, bundleRun } = await import(pathToFileURL(at('scripts/bundle-client.mjs')).href)
  await bundleService(at('dist/server'))
  await bundleInPlace(at('dist'))
  await bundleClient(CLIENT)
  await bundleRun(RUN_CLIENT)
}
