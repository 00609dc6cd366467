// Bundles the CLI, which starts often: dist/goldmaster.mjs is the client in one file without dependencies, dist/goldmaster-run.mjs the same with `run` alone, dist/main.cjs is the installed
// program, which would otherwise open hundreds of small files to list a few tasks; dist/main.js only loads it.
import { appendFileSync, chmodSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { compileFunction } from 'node:vm'
import { brotliCompressSync, constants } from 'node:zlib'
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

/** The exports of a module in a bundle. */
const evaluate = (text) => {
  const module = { exports: {} }
  compileFunction(text, ['module', 'require'])(module, createRequire(import.meta.url))
  return module.exports
}

/** The help and the names of the commands, written into a front that then answers these without loading the rest. */
async function prepared(plugins, beside) {
  const entryPoints = ['src/cli/program/prepare.ts']
  const { outputFiles } = await build({ ...shared, format: 'cjs', write: false, entryPoints, plugins, outdir: root })
  const { help, width, words, names } = await evaluate(outputFiles[0].text).prepare(beside)
  const contents = `import { suggestSimilar } from './node_modules/commander/lib/suggestSimilar.js'
    export const HELP_WIDTH = ${width}
    export const prepared = {
      help: ${JSON.stringify(help)},
      words: ${JSON.stringify(words)},
      advice: (word) => suggestSimilar(word, ${JSON.stringify(names)}).replace('\\n', ' '),
    }`
  return {
    name: 'prepared',
    setup({ onResolve, onLoad }) {
      onResolve({ filter: /^\.\/prepared\.ts$/ }, () => ({ path: 'prepared', namespace: 'prepared' }))
      onLoad({ filter: /./, namespace: 'prepared' }, () => ({ contents, resolveDir: root }))
    },
  }
}

/**
 * Everything behind the first lines is compressed and stands in comments: Node reads and scans all of a file at each start, and a comment
 * takes a quarter of the time of a text.
 */
const packed = {
  name: 'packed',
  setup({ onResolve, onLoad }) {
    onResolve({ filter: /^\.\/main\.ts$/ }, () => ({ path: 'main', namespace: 'packed' }))
    onLoad({ filter: /./, namespace: 'packed' }, () => ({
      contents: `const { readFileSync } = process.getBuiltinModule('node:fs')
        const { compileFunction } = process.getBuiltinModule('node:vm')
        const { brotliDecompressSync } = process.getBuiltinModule('node:zlib')
        const file = readFileSync(new URL(import.meta.url))
        function load(name, heavy) {
          const module = { exports: {} }
          const start = file.indexOf('\\n//' + name + ' ') + name.length + 4
          const end = file.indexOf('\\n', start)
          if (start < name.length + 4 || end === -1) {
            console.error('goldmaster: This file is incomplete. Download it again.')
            process.exit(1)
          }
          const text = brotliDecompressSync(Buffer.from(file.latin1Slice(start, end), 'base64')).toString()
          compileFunction(text, ['module', 'heavy'], { filename: name })(module, heavy)
          return module.exports
        }
        let heavy
        export const { run } = load('goldmaster-cli.js', () => (heavy ??= load('goldmaster-heavy.js')))`,
    }))
  },
}
// The next level takes ten times as long for 7 % less.
const level = { params: { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_LGWIN]: 24 } }
const pack = (name, text) => `//${name} ${brotliCompressSync(text, level).toString('base64')}\n`

/** A single file of these parts: its front, compressed modules, and notices, since it is copied alone. Returns the inputs of the front. */
async function writeSingleFile(outfile, plugins, parts, inputs) {
  const front = await build({ ...shared, entryPoints: ['src/cli/client.ts'], outfile, plugins, metafile: true })
  const all = [...inputsOf(front), ...inputs]
  const modules = Object.entries(parts).map(([name, text]) => pack(name, text))
  appendFileSync(outfile, `${modules.join('')}/*\n${noticesFor(all).replaceAll('*/', '* /')}*/\n`)
  chmodSync(outfile, 0o755)
  return front
}

const inside = { ...shared, format: 'cjs', write: false, metafile: true, outdir: root }

/** The single-file client. Returns its inputs, loaded at every start or not, and its external imports. */
export async function bundleClient(outfile) {
  const contents = `module.exports = { ${Object.entries(HEAVY).map(([name, path]) => `${name}: () => require('./${path}.ts')`)} }`
  const heavy = await build({ ...inside, stdin: { contents, resolveDir: `${root}src` } })
  const plugins = [fromHeavy, words, lazy]
  const light = await build({ ...inside, entryPoints: ['src/cli/main.ts'], plugins })
  const parts = { 'goldmaster-cli.js': textOf(light), 'goldmaster-heavy.js': textOf(heavy) }
  const others = [light, heavy].flatMap(inputsOf)
  const front = await writeSingleFile(outfile, [await prepared(plugins, []), packed, lazy], parts, others)
  const imports = [front, light, heavy].flatMap(({ metafile }) => Object.values(metafile.outputs)[0].imports)
  return {
    light: [front, light].flatMap(inputsOf),
    heavy: inputsOf(heavy),
    imports: imports.map(({ path }) => path),
  }
}
const textOf = ({ outputFiles }) => outputFiles[0].text

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
  const light = await build({ ...inside, entryPoints: ['src/cli/main.ts'], plugins })
  const parts = { 'goldmaster-cli.js': textOf(light) }
  await writeSingleFile(outfile, [await prepared(plugins, []), packed, lazy], parts, inputsOf(light))
  return statSync(outfile).size
}

/** Installed, they stay separate files, as does what uses the database. */
const apart = {
  name: 'apart',
  setup({ onResolve }) {
    onResolve({ filter: HEAVY_PATH }, ({ path }) => ({ path: `../${HEAVY[heavyName(path)]}.js`, external: true }))
    onResolve({ filter: /^\.\/service\/operate\.ts$/ }, () => ({ path: './server/operate.js', external: true }))
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
  const plugins = [apart, words, lazy]
  const known = await prepared(plugins, ['serve', 'work', 'migrate', 'admin'])
  const front = await build({
    ...settings,
    entryPoints: ['src/main.ts'],
    plugins: [known, apart, lazy],
    target: 'es2018',
    // Node needs a sixth more time to start the shortest of modules. Otherwise it would `require` the CLI.
    format: 'cjs',
    outExtension: { '.js': '.cjs' },
    supported: { 'dynamic-import': true },
  })
  const light = await build({ ...settings, entryPoints: ['src/cli/main.ts'], plugins })
  const heavy = await build({ ...settings, entryPoints: Object.values(HEAVY).map((path) => `src/${path}.ts`) })
  writeFileSync(`${dist}/main.js`, "#!/usr/bin/env node\nimport './main.cjs'\n", { mode: 0o755 })
  chmodSync(`${dist}/main.cjs`, 0o755)
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
