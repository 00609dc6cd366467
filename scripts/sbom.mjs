// The third-party content of a copy of Goldmaster, as CycloneDX: the packages inside the bundles, and those that an install adds. `npm
// sbom` only knows what is installed here, most of which is for development, and stops at packages of other platforms.
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const read = (path) => readFileSync(fileURLToPath(new URL(`../${path}`, import.meta.url)), 'utf8')
const NOTICES = ['dist/THIRD-PARTY-NOTICES.txt', 'dist/web/third-party-notices.txt']

const component = ([path, { version, license, integrity }]) => {
  const name = path.replace(/^.*node_modules\//, '')
  const [, algorithm, hash] = /^(sha\d+)-(.+)$/.exec(integrity ?? '') ?? []
  return {
    type: 'library',
    'bom-ref': `${name}@${version}`,
    name,
    version,
    purl: `pkg:npm/${name.replace('@', '%40')}@${version}`,
    ...(license && { licenses: [{ expression: license }] }),
    ...(hash && { hashes: [{ alg: algorithm.replace('sha', 'SHA-'), content: Buffer.from(hash, 'base64').toString('hex') }] }),
  }
}

export function sbom() {
  const { name, version, license, optionalDependencies } = JSON.parse(read('package.json'))
  const bundled = new Set(NOTICES.flatMap((file) => [...read(file).matchAll(/^(\S+ \S+) \(.+\)$/gm)].map(([, each]) => each)))
  const components = Object.entries(JSON.parse(read('package-lock.json')).packages)
    .filter(([path]) => path !== '')
    .map(component)
    .filter((each) => bundled.has(`${each.name} ${each.version}`) || Object.hasOwn(optionalDependencies, each.name))
  const own = { type: 'application', 'bom-ref': `${name}@${version}`, name, version, licenses: [{ expression: license }] }
  const unique = [...new Map(components.map((each) => [each['bom-ref'], each])).values()]
  return {
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: { timestamp: new Date().toISOString(), component: own },
    components: unique,
    dependencies: [{ ref: own['bom-ref'], dependsOn: unique.map((each) => each['bom-ref']) }],
  }
}
