// Bundles what runs beside the database into a few files: opening two thousand small ones is most of what a start costs, and after
// a crash every moment of it is one in which nobody listens.
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { inputsOf } from './third-party-notices.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Parts that are loaded later stay files of their own. Tells what went into them. */
export async function bundleService(outdir) {
  const built = await build({
    metafile: true,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Names stay, for whoever reads a stack; blanks cost a start.
    minifyWhitespace: true,
    sourcemap: true,
    legalComments: 'none',
    logLevel: 'warning',
    entryPoints: {
      operate: 'src/operate.ts',
      'heavy-process': 'src/intake/heavy/heavy-process.ts',
      'rule-worker-entry': 'src/domain/investigations/rule-worker-entry.ts',
    },
    outdir,
    external: ['pg-native'],
    // Packages of the older kind ask for Node's modules in the older way.
    banner: { js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
  })
  // Not over a former build: a file that was renamed would be read twice.
  rmSync(`${outdir}/schema`, { recursive: true, force: true })
  cpSync(`${root}src/db/schema`, `${outdir}/schema`, { recursive: true })
  return inputsOf(built)
}
