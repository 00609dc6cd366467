import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import { describe, expect, test } from 'vitest'

/** Every relative link, anchor and picture in what people read before they run anything. */
const ROOT = resolve(import.meta.dirname, '..')
const below = (folder: string) =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(ROOT, folder, file))
const pages = [
  ...readdirSync(ROOT)
    .filter((file) => file.endsWith('.md'))
    .map((file) => join(ROOT, file)),
  ...['docs', 'deploy', 'src'].flatMap(below),
]

const withoutCode = (text: string) => text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').replaceAll(/`[^`\n]*`/g, '')

const linksOf = (text: string) => {
  const plain = withoutCode(text)
  return [
    ...[...plain.matchAll(/\]\(([^)\s]+)\)/g)].map(([, link]) => link!),
    ...[...plain.matchAll(/\b(?:src|srcset|href)="([^"]+)"/g)].map(([, link]) => link!),
  ].filter((link) => !/^[a-z]+:/.test(link))
}

/** A heading's anchor, as GitHub makes it. */
const anchorOf = (heading: string) =>
  heading
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-')

const anchorsOf = (text: string) =>
  [...text.replaceAll(/^ *```[\s\S]*?^ *```/gm, '').matchAll(/^#{1,6} (.+)$/gm)].map(([, heading]) => anchorOf(heading!))

/** What is wrong with a page's links. */
function brokenLinks(page: string, text: string): string[] {
  return linksOf(text).flatMap((link) => {
    const [path, anchor] = link.split('#') as [string, string?]
    const target = path === '' ? page : resolve(dirname(page), decodeURI(path))
    if (!existsSync(target)) return [`${link}: no such file`]
    if (anchor === undefined || !target.endsWith('.md')) return []
    const linked = target === page ? text : readFileSync(target, 'utf8')
    return anchorsOf(linked).includes(anchor) ? [] : [`${link}: no such heading`]
  })
}

describe('links in the documentation', () => {
  test.each(pages.map((page) => [relative(ROOT, page), page]))('%s links only to files and headings that exist', (_, page) => {
    expect(brokenLinks(page, readFileSync(page, 'utf8'))).toEqual([])
  })

  test('the index links to every page of docs', () => {
    const index = join(ROOT, 'docs/README.md')
    const linked = linksOf(readFileSync(index, 'utf8')).map((link) => resolve(dirname(index), link.split('#')[0]!))
    const missing = pages
      .filter((page) => page.startsWith(join(ROOT, 'docs/')) && !/\/docs\/(?:cli|decisions)\//.test(page))
      .filter((page) => page !== index && !linked.includes(page))
    expect(missing.map((page) => relative(ROOT, page))).toEqual([])
  })

  test('every picture is used, and all together stay below 3 MB', () => {
    const folder = join(ROOT, 'docs/images')
    const texts = pages.map((page) => readFileSync(page, 'utf8')).join('\n')
    expect(readdirSync(folder).filter((file) => !texts.includes(file))).toEqual([])
    const bytes = readdirSync(folder).map((file) => readFileSync(join(folder, file)).length)
    expect(bytes.reduce((sum, size) => sum + size, 0)).toBeLessThan(3_000_000)
  })

  test('a wrong file, a wrong anchor and a missing picture are found', () => {
    const page = join(ROOT, 'README.md')
    const text =
      '# Top\n[a](nowhere.md) [b](#top) [c](#bottom) [d](docs/README.md#guides) ![e](docs/images/none.webp) `[f](code.md)`'
    expect(brokenLinks(page, text)).toEqual([
      'nowhere.md: no such file',
      '#bottom: no such heading',
      'docs/images/none.webp: no such file',
    ])
  })
})
