// Bundles what uses the database into a few files: opening two thousand small ones is most of the start time, and after a crash nobody is
// served during that time.
import { cpSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { inputsOf } from './third-party-notices.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Modules that are loaded later stay separate files. Returns their inputs. */
export async function bundleService(outdir) {
  const built = await build({
    metafile: true,
    absWorkingDir: root,
    bundle: true,
    splitting: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    // Names are kept for stack traces; whitespace costs start time.
    minifyWhitespace: true,
    sourcemap: true,
    legalComments: 'none',
    logLevel: 'warning',
    entryPoints: {
      operate: 'src/service/operate.ts',
      'heavy-process': 'src/intake/heavy/heavy-process.ts',
      'preview-process': 'src/previews/preview-process.ts',
      'rule-thread': 'src/domain/investigations/rule-thread.ts',
    },
    outdir,
    // sharp has parts for each system, and the parser of Ogg has a license of its own (LGPL): they stay in node_modules.
    external: ['pg-native', 'sharp', '@wasm-audio-decoders/ogg-vorbis', 'opus-decoder'],
    // CommonJS packages load Node's modules with `require`.
    banner: { js: "const require = process.getBuiltinModule('node:module').createRequire(import.meta.url);" },
  })
  // Not over an earlier build: a renamed file would be read twice.
  rmSync(`${outdir}/schema`, { recursive: true, force: true })
  cpSync(`${root}src/db/schema`, `${outdir}/schema`, { recursive: true })
  return inputsOf(built)
}
