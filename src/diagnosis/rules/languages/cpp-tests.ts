import type { Rule } from '../../rule.ts'

/** GoogleTest, Catch2, doctest, Boost.Test, CTest, Unity (C), Check, Criterion, Meson. */
export const cppTests: readonly Rule[] = [
  {
    id: 'gtest.failure',
    tool: 'GoogleTest',
    category: 'test_failure',
    role: 'root',
    need: [': Failure', '): error: '],
    match:
      /^(?<file>(?:[A-Za-z]:)?[^\s:(][^:(]{0,300})(?::(?<line>\d+)|\(\d+\)): (?:Failure|error: (?=Expected|Value of|Failed))(?<msg>.*)/,
    score: 82,
    block: { through: /^\[ {2}FAILED {2}\]/, blanks: 1, max: 40 },
    near: 1,
    examples: [
      {
        log: '[ RUN      ] Hero.Hits\nsrc/hero_test.cpp:12: Failure\nExpected equality of these values:\n  hits\n    Which is: 1\n  2\n[  FAILED  ] Hero.Hits (0 ms)',
        line: 2,
        file: 'hero_test.cpp',
      },
    ],
  },
  {
    id: 'gtest.failed',
    tool: 'GoogleTest summary',
    category: 'test_failure',
    role: 'root',
    need: ['[  FAILED  ]'],
    match: /^\[ {2}FAILED {2}\] (?<test>(?!\d+ tests?)\S+)/,
    score: 60,
    near: 0,
    examples: [{ log: '[  FAILED  ] Hero.Hits (0 ms)', line: 1 }],
  },
  {
    id: 'catch.failed',
    tool: 'Catch2',
    category: 'test_failure',
    role: 'root',
    need: [': FAILED:', 'is NOT correct!', '): FAILED:'],
    match:
      /^(?<file>(?:[A-Za-z]:)?[^\s:(][^:(]{0,300})[:(](?<line>\d+)\)?: (?:FAILED:|(?:FATAL )?ERROR: .*is NOT correct!)(?<msg>.*)/,
    score: 82,
    block: { back: /^\S.*$|^-{10,}$|^\.{10,}$/, more: /^\s+\S|^(?:with|due to|explicitly|values:)/, blanks: 1, max: 20 },
    near: 2,
    examples: [
      { log: 'test/hero.cpp:12: FAILED:\n  REQUIRE( hits == 2 )\nwith expansion:\n  1 == 2', line: 1, file: 'hero.cpp' },
    ],
  },
  {
    id: 'boost.test',
    tool: 'Boost.Test',
    category: 'test_failure',
    role: 'root',
    need: ['error: in "', 'error in "'],
    match:
      /^(?<file>(?:[A-Za-z]:)?[^\s:(][^:(]{0,300})\((?<line>\d+)\): (?:fatal )?error:? in "(?<test>[^"]{1,200})": (?<msg>.*)/,
    score: 84,
    near: 2,
    examples: [
      { log: 'test/hero.cpp(12): error: in "hero/hits": check hits == 2 has failed [1 != 2]', line: 1, file: 'hero.cpp' },
    ],
  },
  {
    id: 'c.unity-test',
    tool: 'C tests',
    category: 'test_failure',
    role: 'root',
    need: [':FAIL', ':F:', ':E:'],
    match: /^(?<file>[^\s:]{1,250}\.\w+):(?<line>\d+):(?:(?<test>\w+):FAIL(?::? ?(?<msg>.*))?$|[FE]:\w+:)/,
    score: 78,
    near: 1,
    examples: [
      { log: 'test/hero.c:12:test_hits:FAIL: Expected 2 Was 1', line: 1, file: 'hero.c' },
      { log: 'hero.c:12:F:Core:test_hits:0: Assertion failed', line: 1, file: 'hero.c' },
    ],
  },
  {
    id: 'ctest.failed',
    tool: 'CTest',
    category: 'test_failure',
    role: 'root',
    need: ['The following tests FAILED'],
    match: /^The following tests FAILED:/,
    score: 62,
    header: true,
    block: { more: /^\s+\d+ - /, max: 60 },
    examples: [{ log: 'The following tests FAILED:\n\t  3 - hits (Failed)\nErrors while running CTest', line: 2 }],
  },
  {
    id: 'ctest.progress',
    tool: 'CTest progress',
    category: 'test_failure',
    role: 'root',
    need: ['***Failed', '***Exception', '***Timeout', ' FAIL '],
    match:
      /^ *\d+\/\d+ Test +#\d+: (?<test>\S+) \.*\*{3}(?:Failed|Exception|Timeout)|^ *\d+\/\d+ (?<meson>\S.{0,120}?)(?<! ) +FAIL +[\d.]+ ?s/,
    score: 56,
    near: 0,
    examples: [{ log: ' 3/10 Test  #3: hits .............***Failed    0.01 sec', line: 1 }],
  },
  {
    id: 'assert.failed',
    tool: 'assertion',
    category: 'crash',
    role: 'root',
    need: ['Assertion `', 'Assertion failed', 'terminate called after'],
    match:
      /^(?:[^\s:]{1,100}: )?(?<file>[^\s:]{1,250}):(?<line>\d+): .{0,300}Assertion `.{1,300}' failed|^Assertion failed: .{1,300}, file (?<win>.{1,250}), line \d+|^terminate called after throwing|^Assertion failed: \(.{1,300}\), function/,
    score: 60,
    block: { more: /^\s+what\(\)|^Abort/, max: 3 },
    examples: [{ log: "game: src/hero.c:12: main: Assertion `hits == 2' failed.", line: 1, file: 'hero.c' }],
  },
]
