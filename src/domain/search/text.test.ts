import { describe, expect, test } from 'vitest'
import { bestNamed, folded, isMatch, queryOf, rankOf, termsFor, termsOf } from './text.ts'

const finds = (query: string, text: string) => isMatch(folded(text), queryOf(query))

describe('a query matches', () => {
  test.each([
    ['moon', 'Full MOON rises'],
    ['oon ris', 'Full moon rises'],
    ['tide warden', 'Fix TideWarden spawn'],
    ['TideWarden', 'the tide-warden again'],
    ['cinder 203', 'cinder-coast-win64 #203'],
    ['cinder #203', 'cinder-coast-win64 #203'],
    ['Steam 0.9.3', 'steam 0.9.3'],
    ['uberhang', 'Überhang im Hafen'],
    ['ÜBER', 'uberhang'],
    ['w', 'Tide Warden'],
    ['wa', 'TideWarden'],
    ['面', '水面 flickers'],
    ['🚀', 'to the moon 🚀'],
    ['50%', 'loads at 50% only'],
    ['a_b', 'x/a_b.png'],
    ["o'ne", "Captain O'Neill"],
    ['\\temp', 'C:\\temp\\x'],
    ['שלום', 'אמר שלום לכם'],
  ])('%s in %s', (query, text) => expect(finds(query, text)).toBe(true))

  test.each([
    ['50%', 'loads at 500'],
    ['a_b', 'x/acb.png'],
    ['oo', 'moon'],
    ['moon star', 'Full moon rises'],
    ['cinder 203', 'cinder-coast-win64 #1203x'.replace('1203x', '1302')],
  ])('but not %s in %s', (query, text) => expect(finds(query, text)).toBe(false))
})

test('every match has all the terms that are looked up', () => {
  const texts = [
    'Fix TideWarden spawn #12',
    'naïve Überhang 0.9.3',
    '水面 flickers 🚀🚀',
    'deadbeefcafe12 main',
    'T_Crate_48.png',
    'I.O x y',
  ]
  const queries = [
    'tide warden',
    'TideWarden',
    'naive',
    '0.9',
    '水面',
    '面',
    '🚀',
    'crate_4',
    'deadbeefca',
    'x',
    'i',
    '#12',
    'wn sp',
  ]
  for (const text of texts)
    for (const query of queries) {
      if (!finds(query, text)) continue
      const terms = termsOf(folded(text))
      for (const term of termsFor(queryOf(query), false)) expect(terms, `${query} in ${text}`).toContain(term)
    }
})

test('the exact title comes first, then its prefix, its words, prefixes of words, anything else', () => {
  const rank = (title: string) => rankOf(folded(title), folded(`${title} main`), queryOf('moon'))
  expect(['Moon', 'Moon rises', 'The moon rises', 'The Moonlight', 'Honeymoon'].map(rank)).toEqual([0, 1, 2, 3, 5])
})

test('a query looks up a bounded number of terms, however long it is', () => {
  const query = queryOf('crate harbour '.repeat(400) + 'x'.repeat(5_000))
  expect(query.text.length).toBeLessThanOrEqual(200)
  expect(termsFor(query, true).length).toBeLessThanOrEqual(24)
  for (const nothing of ['', '   ', '%', '_', '\\', '"', '--', '\u202e']) expect(queryOf(nothing).tokens).toEqual([])
})

test('the best match of several names comes first, and equal ones keep their order', () => {
  const names = ['Old Moonlight', 'Moonlight', 'Moon', 'Half Moon', 'Star', 'Full Moon'].map((name) => ({ name }))
  const found = bestNamed(names, queryOf('moon'), 5).map(({ name }) => name)
  expect(found).toEqual(['Moon', 'Moonlight', 'Half Moon', 'Full Moon', 'Old Moonlight'])
  expect(bestNamed(names, queryOf('moon'), 2)).toHaveLength(2)
})

test('a token of three letters is looked up by them', () => {
  expect(termsFor(queryOf('oon'), false)).toEqual(['oon'])
  expect(termsOf(folded('moon')).has('oon')).toBe(true)
})
