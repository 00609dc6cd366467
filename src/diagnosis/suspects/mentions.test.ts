import { expect, it } from 'vitest'
import type { Finding } from '../finding.ts'
import { mentionsIn } from './mentions.ts'
import { Neighbourhood } from './neighbourhood.ts'

const NO_CLUES = { rule: '', tool: '', message: '', files: [], symbols: [], tests: [] }

const around = (line: number, file_path: string | null = null) =>
  new Neighbourhood({ evidence: [{ line, text: '' }], file_path, clues: NO_CLUES } as unknown as Finding)

const read = (line: string) => mentionsIn([line], around(1)).map(({ kind, text }) => `${kind} ${text}`)

it.each([
  ['Windows paths', 'C:\\ws\\Source\\Hero.cpp(3): error', ['file \\ws\\Source\\Hero.cpp']],
  ['paths with a position', 'src/a-b/c_d.ts:3:7 - error', ['file src/a-b/c_d.ts']],
  ['files without an extension', 'Makefile:3: *** missing separator', ['file Makefile']],
  ['folders', 'FAIL example.com/shop/cart 0.01s', ['folder example.com/shop/cart']],
  ['qualified classes without their methods', 'at com.acme.Cart.total(', ['file com.acme.Cart.total', 'class com/acme/Cart']],
  ['scoped names', 'undefined Shop::Cart', ['class Shop/Cart']],
  ['classes', 'CartViewTest failed', ['class CartViewTest']],
  ['names of tests', 'test_cart_total failed', ['class test_cart_total']],
  ['assets of a game', 'bad /Game/Maps/Arena.Arena here', ['class Content/Maps/Arena']],
  ['names between colours', '\x1b[31msrc/cart.ts\x1b[0m', ['file src/cart.ts']],
])('%s are found', (_, line, mentions) => {
  expect(read(line)).toEqual(expect.arrayContaining(mentions))
})

it.each([
  ['addresses', 'see https://example.com/docs/errors.html'],
  ['what a package manager installed', 'at /ws/node_modules/left-pad/index.js and /usr/lib/ruby/net.rb'],
  ['what was checked out', 'HEAD is now at 12ab34c Fix src/cart.ts'],
  ['words', 'the build has failed'],
])('%s are skipped', (_, line) => {
  expect(read(line)).toEqual([])
})

it('a Python test gives its class and its module', () => {
  expect(read('FAIL: test_total (tests.test_cart.CartCase)')).toEqual(
    expect.arrayContaining(['class tests/test_cart/CartCase', 'class tests/test_cart']),
  )
})

it('names in the evidence come first, and others are counted', () => {
  const log = [
    'cc a.c',
    'cc b.c',
    ...Array.from({ length: 20 }, () => '-'),
    'b.c:1: error',
    ...Array.from({ length: 20 }, () => '-'),
    'b.c again',
  ]
  const [first, ...others] = mentionsIn(log, around(23))
  expect(first).toMatchObject({ text: 'b.c', where: 'evidence', line: 23, outside: 2 })
  expect(others).toMatchObject([{ text: 'a.c', where: 'elsewhere', line: 1 }])
})

it('the file of a failure counts as evidence even if it is next to it', () => {
  const log = ['error[E0308]: mismatched types', '  --> src/cart.rs:7:5', '  --> src/shop.rs:1:1']
  const found = mentionsIn(log, around(1, 'src/cart.rs'))
  expect(found.map(({ text, where }) => [text, where])).toEqual([
    ['src/cart.rs', 'evidence'],
    ['src/shop.rs', 'near'],
  ])
})
