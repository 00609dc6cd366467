// Builds dist/: the command line, the service with its migrations, and the web app.
import { execFileSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { bundleClient, bundleInPlace } from './bundle-client.mjs'
import { bundleService } from './bundle-service.mjs'
import { noticesFor } from './third-party-notices.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))
const at = (path) => `${root}${path}`

rmSync(at('dist'), { recursive: true, force: true })
execFileSync(process.execPath, [at('node_modules/vite/bin/vite.js'), 'build', '--logLevel', 'warn'], {
  stdio: 'inherit',
  cwd: root,
})

// The command line in one file, and a front door that starts as fast as Node does.
await bundleClient(at('dist/goldmaster.mjs'))
const inputs = [...(await bundleInPlace(at('dist'))), ...(await bundleService(at('dist/server')))]
// Those of the web app stand beside it.
writeFileSync(at('dist/THIRD-PARTY-NOTICES.txt'), noticesFor(inputs))
