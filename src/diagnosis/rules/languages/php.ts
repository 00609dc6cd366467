import type { Rule } from '../../rule.ts'

export const php: readonly Rule[] = [
  {
    id: 'phpunit.failures',
    tool: 'PHPUnit',
    category: 'test_failure',
    role: 'root',
    need: ['There was ', 'There were '],
    match: /^There (?:was|were) \d+ (?:failure|error|risky test|warning)s?:$/,
    score: 80,
    header: true,
    block: { until: /^(?:FAILURES!|ERRORS!|Tests: |WARNINGS!|--$|There (?:was|were) )/, blanks: 2, max: 200 },
    near: 2,
    examples: [
      {
        log: 'There was 1 failure:\n\n1) HeroTest::testHits\nFailed asserting that 1 matches expected 2.\n\n/ws/tests/HeroTest.php:43\n\nFAILURES!',
        line: 3,
      },
    ],
  },
  {
    id: 'php.run-tests',
    tool: 'PHP run-tests',
    category: 'test_failure',
    role: 'root',
    need: ['FAILED TEST SUMMARY'],
    match: /^FAILED TEST SUMMARY/,
    score: 76,
    header: true,
    block: { until: /^=+$/, max: 40 },
    examples: [{ log: 'FAILED TEST SUMMARY\n---------------------\nBug #1 [tests/bug1.phpt]\n=====', line: 3 }],
  },
  {
    id: 'php.fatal',
    tool: 'PHP',
    category: 'unknown',
    role: 'root',
    need: ['PHP Fatal error', 'PHP Parse error', 'Fatal error: ', 'Parse error: '],
    match: /^(?:PHP )?(?:Fatal|Parse) error: {1,2}(?<msg>.*?)(?: in (?<file>\S+\.\w+)(?: on line |:)(?<line>\d+))?$/,
    score: 68,
    block: { more: /^(?:Stack trace|#\d+ |\s+thrown in)/, max: 20 },
    examples: [
      { log: "PHP Parse error:  syntax error, unexpected '}' in /ws/src/Hero.php on line 12", line: 1, file: 'Hero.php' },
    ],
  },
  {
    id: 'composer.error',
    tool: 'Composer',
    category: 'dependency_resolution',
    role: 'root',
    need: ['Your requirements could not be resolved', 'Could not find package', 'Your lock file does not contain'],
    match: /^\s*(?:Your requirements could not be resolved|Could not find package|Your lock file does not contain)(?<msg>.*)/,
    score: 74,
    block: { more: /^\s+\S/, blanks: 1, max: 16 },
    examples: [
      {
        log: 'Your requirements could not be resolved to an installable set of packages.\n\n  Problem 1\n    - Root composer.json requires acme/net ^9',
        line: 1,
      },
    ],
  },
  {
    id: 'phpcs.report',
    tool: 'PHP_CodeSniffer',
    category: 'lint_or_doc',
    role: 'root',
    need: ['| ERROR'],
    match: /^\s*(?<line>\d+) \| ERROR\s+\| (?<msg>.*)/,
    score: 72,
    block: { back: /^(?:FILE: |-{10,}|FOUND )/, more: /^\s+(?:\d+ )?\| /, max: 60 },
    near: 1,
    examples: [
      {
        log: 'FILE: /ws/src/Hero.php\n----------------------------------------\nFOUND 1 ERROR AFFECTING 1 LINE\n----------------------------------------\n 12 | ERROR | [x] Expected 1 newline at end of file',
        line: 5,
      },
    ],
  },
  {
    id: 'phpstan.report',
    tool: 'PHPStan',
    category: 'lint_or_doc',
    role: 'root',
    need: ['[ERROR] Found', 'ERROR: ', '  Line   '],
    match: /^\s*(?:Line {3,}(?<file>\S+)|ERROR: \w+ - (?<psalm>\S+?):(?<line>\d+):\d+ - .*)$/,
    score: 66,
    block: { until: /^\s*\[ERROR\]|^-{30,}$/, max: 60 },
    near: 1,
    examples: [
      {
        log: ' ------ -------------\n  Line   src/Hero.php\n ------ -------------\n  12     Undefined variable: $hits\n ------ -------------\n [ERROR] Found 1 error',
        line: 2,
        file: 'Hero.php',
      },
    ],
  },
]
