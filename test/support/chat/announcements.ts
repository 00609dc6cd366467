import fc from 'fast-check'
import type { Announcement, Person } from '../../../src/domain/channels/announcement.ts'
import type { Post } from '../../../src/jobs/sending/vendor.ts'

export const KIM: Person = { user_id: 1, name: 'Kim Sato' }
export const ADA: Person = { user_id: 2, name: 'Ada Berg' }

/** The announcement of a new breakage. */
export const BREAKAGE: Announcement = {
  tone: 'bad',
  title: 'Compile error on main',
  url: 'https://goldmaster.example/projects/7/breakages/41?a=1&b=2',
  facts: [
    { label: 'Jobs', value: 'Editor Win64, Game PS5' },
    { label: 'Since', value: '2 March, 09:14 UTC' },
    { label: 'Owner', value: 'Ada Berg', person: ADA },
  ],
  evidence: "Source/Dragon.cpp(42): error C2065: 'Fire<T>': undeclared `identifier`",
  suspect: {
    change: '184467',
    url: 'https://goldmaster.example/projects/7/changes/9',
    person: KIM,
    reason: 'changed Source/Dragon.cpp',
  },
  links: ['Open', 'Claim', 'Mute'].map((label) => ({
    label,
    url: `https://goldmaster.example/projects/7/breakages/41?do=${label}`,
  })),
  mentions: [KIM],
  here: false,
}

export const postOf = (announcement: Partial<Announcement> = {}, chatIds: Record<number, string> = {}): Post => ({
  id: 'message-1',
  announcement: { ...BREAKAGE, ...announcement },
  chatIdOf: ({ user_id }) => chatIds[user_id],
})

/** Branch names, log lines and personal names that are markup somewhere. */
export const HOSTILE = [
  '<!channel>',
  '<!here>',
  '<@U012AB>',
  '<@123456>',
  '<@!123456>',
  '<@&99>',
  '@everyone',
  '@here',
  '@channel',
  '@all',
  '@kim',
  '<at>Kim</at>',
  '*bold*',
  '_it_',
  '__under__',
  '~~gone~~',
  '||spoiler||',
  '`code`',
  '```',
  '[text](https://evil.example)',
  '<https://evil.example|text>',
  '&lt;!channel&gt;',
  '&amp;',
  '\\',
  '{{DATE(2026-01-01T00:00:00Z)}}',
  '> quoted',
  '# heading',
  '- item',
  '1. item',
  '\u202egnirts\u202c',
  '\u2066x\u2069',
  '\u0000\u001b[31mred\u0007',
  'two\r\nlines\u2028more',
  '😀👩‍🚀🇩🇪',
  '\ud83d',
  '漢字',
  'e\u0301',
  '"quote\'s"',
  '',
  '   ',
  '\u200b',
]

const hostileText = fc
  .tuple(
    fc.array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'binary' })), { maxLength: 6 }),
    fc.constantFrom(1, 1, 40, 2000),
  )
  .map(([parts, times]) => parts.join(' ').repeat(times).slice(0, 12_000))

const address = fc.oneof(
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
  hostileText,
  hostileText.map((text) => `https://goldmaster.example/?q=${text}`),
  fc.constantFrom(
    'javascript:alert(1)',
    'https://kim:secret@goldmaster.example/',
    `https://goldmaster.example/${'x'.repeat(5000)}`,
  ),
)
const person = fc.record({ user_id: fc.integer({ min: 1, max: 30 }), name: hostileText })

/** Anything that could ever be announced, and more. */
export const anyAnnouncement: fc.Arbitrary<Announcement> = fc.record({
  tone: fc.constantFrom('bad', 'warn', 'good', 'neutral'),
  title: hostileText,
  url: address,
  facts: fc.array(fc.record({ label: hostileText, value: hostileText, person: fc.option(person, { nil: undefined }) }), {
    maxLength: 30,
  }),
  evidence: fc.option(hostileText, { nil: undefined }),
  suspect: fc.option(
    fc.record({ change: hostileText, url: address, person: fc.option(person, { nil: undefined }), reason: hostileText }),
    { nil: undefined },
  ),
  links: fc.array(fc.record({ label: hostileText, url: address }), { maxLength: 12 }),
  mentions: fc.array(person, { maxLength: 25 }),
  here: fc.boolean(),
})

/** Every part at its maximum length, with the largest characters. */
export const largest = (character: string): Announcement => {
  const text = character.repeat(12_000)
  const people = Array.from({ length: 40 }, (_, index) => ({ user_id: index, name: text }))
  const url = `https://goldmaster.example/${'x'.repeat(773)}`
  return {
    tone: 'bad',
    title: text,
    url,
    facts: people.map(() => ({ label: text, value: text })),
    evidence: text,
    suspect: { change: text, url: url.slice(0, 400), person: people[0], reason: text },
    links: people.map(() => ({ label: text, url })),
    mentions: people,
    here: true,
  }
}
