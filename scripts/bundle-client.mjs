// Bundles the CLI, which starts often: dist/goldmaster.mjs is the client in one file without dependencies, dist/goldmaster-run.mjs the same with `run` alone, dist/main.js is the installed
// program, which would otherwise open hundreds of small files to list a few tasks.
import { appendFileSync, chmodSync, rmSync, statSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { deflateRawSync } from 'node:zlib'
import { build } from 'esbuild'
import { inputsOf, noticesFor } from './third-party-notices.mjs'

const root = fileURLToPath(new URL('..', import.meta.url))

/** Loads Node's own modules on demand: imports come first in a bundle, and each costs start time. */
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

/** The parser of the CLI could run other programs; ours never lets it. */
const startsPrograms = (path, importer) => path === 'node:child_process' && importer.includes('/commander/')

const shared = {
  absWorkingDir: root,
  bundle: true,
  minify: true,
  platform: 'node',
  format: 'esm',
  // Older than our minimum: the client must be parsed completely before it can report which Node it needs.
  target: 'node16',
  legalComments: 'none',
  plugins: [lazy],
  logLevel: 'warning',
}

/** The small commands read the contract's shapes and check nothing with them. */
const words = {
  name: 'words',
  setup({ onResolve }) {
    onResolve({ filter: /^typebox$/ }, () => ({ path: `${root}scripts/schema-words.mjs` }))
  },
}

/** Commands with so many dependencies that the others should not have to parse them. */
const HEAVY = {
  bisect: 'cli/commands/bisect/bisect',
  bridge: 'cli/commands/bridge',
  diagnose: 'cli/commands/diagnose',
  mcp: 'cli/commands/mcp',
  jq: 'terminal/jq',
}
const HEAVY_PATH = /^\.\/(?:commands\/(?:bisect\/bisect|bridge|diagnose|mcp)|jq)\.ts$/
const heavyName = (path) => path.replace(/^.*\/(\w+)\.ts$/, '$1')

/** In the single file the text of these modules arrives as a parameter, so that it is only unpacked when one is used. */
const fromHeavy = {
  name: 'from-heavy',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: HEAVY_PATH }, ({ path }) => ({ path: heavyName(path), namespace: 'heavy' }))
    onLoad({ filter: /./, namespace: 'heavy' }, ({ path }) => ({ contents: `module.exports = heavy().${path}()` }))
  },
}

/**
 * Everything behind the first line is compressed text: Node reads, decodes and scans all of a file at each start, which for three megabytes
 * took as long as half a start of Node.
 */
const packed = (light, heavy) => ({
  name: 'packed',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/main\.ts$/ }, () => ({ path: 'main', namespace: 'packed' }))
    onLoad({ filter: /./, namespace: 'packed' }, () => ({
      contents: `const { compileFunction } = process.getBuiltinModule('node:vm')
        const { inflateRawSync } = process.getBuiltinModule('node:zlib')
        function load(name, packed, heavy) {
          const module = { exports: {} }
          const text = inflateRawSync(Buffer.from(packed, 'base64')).toString()
          compileFunction(text, ['module', 'heavy'], { filename: name })(module, heavy)
          return module.exports
        }
        let heavy
        const loadHeavy = () => (heavy ??= load('goldmaster-heavy.js', '${pack(heavy)}'))
        export const { run } = load('goldmaster-cli.js', '${pack(light)}', loadHeavy)`,
    }))
  },
})
const pack = (text) => deflateRawSync(text, { level: 9 }).toString('base64')

/** The single-file client. Returns its inputs, loaded at every start or not, and its external imports. */
export async function bundleClient(outfile) {
  const inside = { ...shared, format: 'cjs', write: false, metafile: true }
  const contents = `module.exports = { ${Object.entries(HEAVY).map(([name, path]) => `${name}: () => require('./${path}.ts')`)} }`
  const heavy = await build({ ...inside, stdin: { contents, resolveDir: `${root}src` } })
  const light = await build({ ...inside, entryPoints: ['src/cli/main.ts'], plugins: [fromHeavy, words, lazy] })
  const plugins = [packed(light.outputFiles[0].text, heavy.outputFiles[0].text)]
  const front = await build({ ...shared, entryPoints: ['src/cli/client.ts'], outfile, plugins, metafile: true })
  chmodSync(outfile, 0o755)
  const outputs = [front, light, heavy].map(({ metafile }) => Object.values(metafile.outputs)[0])
  const [frontInputs, lightInputs, heavyInputs] = outputs.map(({ inputs }) => Object.keys(inputs))
  const atEveryStart = [...frontInputs, ...lightInputs]
  // It is copied alone, so the notices are inside; at its end they cost no start time.
  appendFileSync(outfile, `/*\n${noticesFor([...atEveryStart, ...heavyInputs]).replaceAll('*/', '* /')}*/\n`)
  return { light: atEveryStart, heavy: heavyInputs, imports: outputs.flatMap(({ imports }) => imports.map(({ path }) => path)) }
}

/** Of the commands only `run`: what a build machine downloads for every build should be small. */
const onlyRun = {
  name: 'only-run',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/catalog\.ts$/ }, () => ({ path: 'run', namespace: 'catalog' }))
    // It prints no documents to query.
    onResolve({ filter: /^\.\/jq\.ts$/ }, () => ({ path: 'nothing', namespace: 'node' }))
    onLoad({ filter: /./, namespace: 'catalog' }, () => ({
      contents: `import { buildCommand } from './terminal/build-command.ts'
        export const CATALOG = { run: async () => buildCommand((await import('./cli/commands/run.ts')).run) }`,
      resolveDir: `${root}src`,
    }))
  },
}

/** The client in one file, with `run` alone. Returns its size in bytes. */
export async function bundleRun(outfile) {
  const plugins = [onlyRun, words, lazy]
  const { metafile } = await build({ ...shared, entryPoints: ['src/cli/client.ts'], outfile, plugins, metafile: true })
  chmodSync(outfile, 0o755)
  const { inputs } = Object.values(metafile.outputs)[0]
  appendFileSync(outfile, `/*\n${noticesFor(Object.keys(inputs)).replaceAll('*/', '* /')}*/\n`)
  return statSync(outfile).size
}

/** Installed, they stay separate files, as does what uses the database. */
const apart = {
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: HEAVY_PATH }, ({ path }) => ({ path: `../${HEAVY[heavyName(path)]}.js`, external: true }))
    onResolve({ filter: /^\.\/operate\.ts$/ }, () => ({ path: './server/operate.js', external: true }))
    onResolve({ filter: /^\.\/cli\/main\.ts$/ }, ({ kind }) =>
      kind === 'dynamic-import' ? { path: './cli/main.js', external: true } : undefined,
    )
  },
}

/** The compiled program, with its CLI replaced by a bundle. Returns its inputs. */
export async function bundleInPlace(dist) {
  rmSync(`${dist}/cli`, { recursive: true, force: true })
  const settings = { ...shared, outbase: 'src', outdir: dist, sourcemap: true, metafile: true }
  // What an older Node, the version and the first line of everything else need, and the CLI itself.
  const front = await build({ ...settings, entryPoints: ['src/main.ts'], plugins: [apart], target: 'es2018' })
  const light = await build({ ...settings, entryPoints: ['src/cli/main.ts'], plugins: [apart, words, lazy] })
  const heavy = await build({ ...settings, entryPoints: Object.values(HEAVY).map((path) => `src/${path}.ts`) })
  chmodSync(`${dist}/main.js`, 0o755)
  return [front, light, heavy].flatMap(inputsOf)
}

/** The module that programs import, which runs in browsers too: of the routes only how they are called. */
export function bundlePublishedClient(table, lists, stream, outfile) {
  const contents = `
    import { clientOf } from './contract/http-client.ts'
    import { readersOf } from './contract/openapi/published-readers.ts'
    export { ApiError } from './contract/errors.ts'
    export const createClient = (settings) => {
      const client = clientOf(${JSON.stringify(table)}, settings)
      return { ...client, ...readersOf(${JSON.stringify(lists)}, ${JSON.stringify(stream)}, client, settings) }
    }`
  const stdin = { contents, resolveDir: `${root}src` }
  return build({ ...shared, platform: 'neutral', plugins: [], stdin, outfile })
}

/** The contract's table alone, in its short form, to compare it with the long one. */
export const bundleTable = (outfile) =>
  build({ ...shared, entryPoints: ['src/contract/routes.ts'], plugins: [words, lazy], outfile })

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const dist = process.argv[2] ?? `${root}dist`
  await bundleClient(`${dist}/goldmaster.mjs`)
  await bundleRun(`${dist}/goldmaster-run.mjs`)
  await bundleInPlace(dist)
}
