import { readdirSync, readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { expect, test } from 'vitest'
import { PROJECT_PAGES } from './navigation.ts'

const help = readFileSync(resolve('src/web/shell/keys-help.tsx'), 'utf8')

test('the list of keys has every key that a page listens to', () => {
  const pages = readdirSync(resolve('src/web'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.tsx'))
    .map((file) => readFileSync(resolve('src/web', file), 'utf8'))
  const tables = pages.flatMap((page) => [...page.matchAll(/useKeys\(\{([\s\S]*?)\n? *\}\)/g)].map(([, table]) => table!))
  const keys = tables.flatMap((table) =>
    [...table.matchAll(/(?:^|[{,\n])\s*'?([^'\s:,]+|g \w)'?:\s*\(\)/g)].map(([, key]) => key!),
  )
  expect(keys).toEqual(expect.arrayContaining(['j', 'k', 'a', 'x', '/', 'e', 'g i', '?']))
  for (const key of keys) expect(help, key).toContain(`['${key}',`)
})

test('every page of a project has its own key', () => {
  const keys = PROJECT_PAGES.flatMap(([, , , key]) => key ?? [])
  expect(new Set([...keys, 'i', 'f']).size).toBe(keys.length + 2)
})
