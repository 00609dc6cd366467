import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'

const root = new URL('../', import.meta.url)
const FOLDERS = ['.github', 'deploy', 'docs', 'examples', '.ci']
const files = FOLDERS.flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, root), { recursive: true, withFileTypes: true })
    .filter((file) => file.isFile() && /\.(?:ya?ml|md|tpl)$|Dockerfile/.test(file.name))
    .map((file) => `${file.parentPath}/${file.name}`),
)

/** Values at the beginning of a line, with the file that has them. */
const valuesOf = (pattern: RegExp) =>
  files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .flatMap((line) => pattern.exec(line)?.[1] ?? [])
      .map((value) => `${file.slice(root.pathname.length)}: ${value}`),
  )

test('every action of others is pinned to a commit and says its version', () => {
  const actions = valuesOf(/^\s*(?:-\s+)?uses:\s*(.+)$/).filter((action) => !/: \.\//.test(action))
  expect(actions.length).toBeGreaterThan(5)
  expect(actions.filter((action) => !/: [\w.-]+\/[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([])
})

test('every image is pinned to a digest; ours is built, or named by who deploys it', () => {
  const images = [...valuesOf(/^\s*image:\s+(\S.*)$/), ...valuesOf(/^FROM\s+(.+)$/)].filter(
    (image) => !/: goldmaster$|\{\{ \.Values\./.test(image.replaceAll('"', '')),
  )
  expect(images.length).toBeGreaterThan(5)
  expect(images.filter((image) => !/: [\w./-]+:[\w.-]+@sha256:[0-9a-f]{64}(?: AS \w+)?$/.test(image))).toEqual([])
})

test('one version of an action or image is pinned in one way', () => {
  const pins = [
    ...valuesOf(/^\s*(?:-\s+)?uses:\s*(.+@.+)$/),
    ...valuesOf(/^\s*image:\s+(\S+@\S+)/),
    ...valuesOf(/^FROM\s+(\S+@\S+)/),
  ]
    .map((pin) => pin.slice(pin.indexOf(': ') + 2).split('@') as [string, string])
    .map(([name, digest]) => [name, digest.split(' ')[0]!] as const)
  for (const [name, digest] of pins)
    expect(pins.filter(([other]) => other === name).map(([, one]) => one)).toEqual(
      Array(pins.filter(([other]) => other === name).length).fill(digest),
    )
})

test('no workflow has a token that may write by default, or keeps one in the checkout of a pull request', () => {
  for (const file of files.filter((file) => file.includes('/workflows/'))) {
    const text = readFileSync(file, 'utf8')
    expect(/^permissions:\n {2}contents: read$/m.test(text), file).toBe(true)
    expect(text.split('actions/checkout@').length, file).toBe(text.split('persist-credentials: false').length)
    expect(text, file).not.toContain('pull_request_target')
  }
})
