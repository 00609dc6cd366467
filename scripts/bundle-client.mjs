// Bundles the command line, which is what starts often: dist/goldmaster.mjs is the client in one file without dependencies,
// dist/main.js is the installed program, which would otherwise open hundreds of small files to list a few tasks.
import { chmodSync, rmSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Loads Node's own modules when they are needed: imports stand first in a bundle, and each costs a start. */
const lazy = {
  name: 'lazy',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^node:/ }, ({ path, importer }) => ({
      path: startsPrograms(path, importer) ? 'nothing' : path,
      namespace: 'node',
    }))
    onLoad({ filter: /./, namespace: 'node' }, ({ path }) => ({
      contents: path === 'nothing' ? 'module.exports = {}' : `module.exports = process.getBuiltinModule('${path}')`,
    }))
  },
}

/** The parser of the command line could run other programs; ours never lets it. */
const startsPrograms = (path, importer) => path === 'node:child_process' && importer.includes('/commander/')

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  legalComments: 'none',
  plugins: [lazy],
  logLevel: 'warning',
}

/** The client in one file. Tells what went into it, and what it asks of others. */
export async function bundleClient(outfile) {
  const { metafile } = await build({ ...shared, entryPoints: ['src/cli/client.ts'], outfile, metafile: true })
  chmodSync(outfile, 0o755)
  const [{ inputs, imports }] = Object.values(metafile.outputs)
  return { inputs: Object.keys(inputs), imports: imports.map(({ path }) => path) }
}

/** The small commands read the contract's shapes and check nothing with them. */
const words = {
  name: 'words',
  setup({ onResolve }) {
    onResolve({ filter: /^typebox$/ }, () => ({ path: `${root}scripts/schema-words.mjs` }))
  },
}

/** Commands with so much behind them that the others should not have to read past it. */
const HEAVY = ['bridge', 'diagnose', 'mcp']

/** They stay files of their own, as does what runs beside the database (bundle-service.mjs). */
const apart = {
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: new RegExp(`^\\./commands/(?:${HEAVY.join('|')})\\.ts$`) }, ({ path }) => ({
      path: path.replace(/^\.\/(.*)ts$/, './cli/$1js'),
      external: true,
    }))
    onResolve({ filter: /^\.\/operate\.ts$/ }, () => ({ path: './server/operate.js', external: true }))
  },
}

/** The compiled program, its command line replaced by a bundle. */
export async function bundleInPlace(dist) {
  rmSync(`${dist}/cli`, { recursive: true, force: true })
  const settings = { ...shared, outbase: 'src', outdir: dist, sourcemap: true }
  await build({ ...settings, entryPoints: ['src/main.ts'], plugins: [apart, words, lazy] })
  await build({ ...settings, entryPoints: HEAVY.map((name) => `src/cli/commands/${name}.ts`) })
  chmodSync(`${dist}/main.js`, 0o755)
}

/** The contract's table alone, in its short spelling, to hold it against the long one. */
export const bundleTable = (outfile) =>
  build({ ...shared, entryPoints: ['src/contract/routes.ts'], plugins: [words, lazy], outfile })

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = process.argv[2] ?? `${root}dist`
  await bundleClient(`${dist}/goldmaster.mjs`)
  await bundleInPlace(dist)
}
