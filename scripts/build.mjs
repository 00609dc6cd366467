// Compiles src/ into dist/ and puts beside it what the compiler does not carry: the migrations and the web app.
import { execFileSync } from 'node:child_process'
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (path) => `${root}${path}`

rmSync(at('dist'), { recursive: true, force: true })
execFileSync(process.execPath, [at('node_modules/typescript/bin/tsc'), '-p', at('tsconfig.build.json')], { stdio: 'inherit' })
execFileSync(process.execPath, [at('node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
  stdio: 'inherit',
  cwd: root,
})
cpSync(at('src/db/migrations'), at('dist/db/migrations'), { recursive: true })
chmodSync(at('dist/main.js'), 0o755)

// The command line in one file, and a front door that starts as fast as Node does.
const { bundleClient, bundleInPlace } = await import('./bundle-client.mjs')
await bundleClient(at('dist/goldmaster.mjs'))
await bundleInPlace(at('dist'))
