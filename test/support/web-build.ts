import { execFileSync } from 'node:child_process'
import { readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'

const ROOT = resolve(import.meta.dirname, '../..')

/** Builds the web app unless what is there is newer than all it is made from. */
export function buildWeb() {
  const built = statSync(join(ROOT, 'dist/web/index.html'), { throwIfNoEntry: false })?.mtimeMs ?? 0
  const newest = Math.max(
    ...['src/web', 'src/contract'].flatMap((folder) => filesBelow(join(ROOT, folder))).map((file) => statSync(file).mtimeMs),
  )
  if (newest > built)
    execFileSync(process.execPath, [join(ROOT, 'node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
      cwd: ROOT,
      // As it is shipped: the test runner's own word for itself would give React's development build.
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: 'inherit',
    })
}

const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
