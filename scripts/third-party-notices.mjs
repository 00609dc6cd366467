// The license texts of the packages inside our bundles. MIT, BSD and Apache require that their notice is included with every copy of the
// code, and a bundler drops it.
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

const LICENCE_FILE = /^(licen[cs]e|copying|notice)(\.(md|txt|markdown))?$/i

/** The files that are part of the output, not those that were read and dropped. */
export const inputsOf = ({ metafile }) => [
  ...new Set(Object.values(metafile.outputs).flatMap(({ inputs }) => Object.keys(inputs))),
]

/** `…/node_modules/@scope/name/lib/x.js` → the folder of the innermost package; undefined for our own files. */
function packageFolder(file) {
  const match = /^(.*node_modules\/(?:@[^/]+\/)?[^/]+)\//.exec(file.replaceAll('\\', '/').replace(/^\0/, '').split('?')[0])
  return match?.[1]
}

function describe(folder) {
  const { name, version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const texts = readdirSync(folder)
    .filter((file) => LICENCE_FILE.test(file))
    .sort()
    .map((file) => readFileSync(join(folder, file), 'utf8').replaceAll('\r\n', '\n').trim())
  return { name, version, license, text: texts.join('\n\n') }
}

/** All external packages of a bundle, by name; a package without a license stops the build. */
function bundledPackages(files) {
  const folders = new Set(files.map(packageFolder).filter((folder) => folder !== undefined))
  const found = [...folders]
    .map((folder) => (folder.startsWith('/') || /^[A-Z]:/i.test(folder) ? folder : join(root, folder)))
    .filter((folder) => existsSync(join(folder, 'package.json')))
    .map(describe)
  const silent = found.filter(({ license }) => license === undefined)
  if (silent.length > 0) throw new Error(`No licence named by ${silent.map(({ name }) => name).join(', ')}.`)
  return found.sort((a, b) => (a.name < b.name ? -1 : a.name > b.name ? 1 : 0))
}

const RULE = '-'.repeat(80)

/** The shipped text. Packages with exactly the same license share it. */
export function noticesFor(files) {
  const byText = new Map()
  for (const one of bundledPackages(files)) {
    const key = one.text || one.license
    byText.set(key, [...(byText.get(key) ?? []), one])
  }
  const parts = [...byText.values()].map((packages) => {
    const names = packages.map(({ name, version, license }) => `${name} ${version} (${license})`)
    return [...names, '', packages[0].text || `Licensed under ${packages[0].license}; the package ships no licence file.`].join(
      '\n',
    )
  })
  return `Goldmaster includes software of others, under these terms.\n\n${RULE}\n${parts.join(`\n\n${RULE}\n`)}\n`
}
