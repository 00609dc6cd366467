import type { Rule } from '../../rule.ts'

const END =
  /^(?:=+ (?:short test summary|warnings summary|\d+ (?:failed|passed|error)|.{1,100} in [\d.]+ ?s)|-{3,} (?:coverage|Docs)|Ran \d+ tests?|-{60,}$|FAILED \(|TOTAL )/

/** CPython, pytest, unittest, pip and the Python linters. */
export const python: readonly Rule[] = [
  {
    id: 'pytest.failure',
    tool: 'pytest',
    category: 'test_failure',
    role: 'root',
    need: ['___ ', ' _'],
    match: /^(?:_{3,}|_{1,2}(?= \S{60})) (?:ERROR (?:collecting|at (?:setup|teardown) of) )?(?<test>(?!summary )\S.{0,200}?) _+$/,
    score: 80,
    block: { until: END, blanks: 3, max: 150 },
    near: 0,
    fix: 'Run the test locally: `pytest -k {test}`.',
    examples: [
      {
        log: '=========== FAILURES ===========\n______ test_hits ______\n\n    def test_hits():\n>       assert hits() == 2\nE       assert 1 == 2\n\ntest_hero.py:3: AssertionError',
        line: 2,
      },
    ],
  },
  {
    id: 'unittest.failure',
    tool: 'unittest',
    category: 'test_failure',
    role: 'root',
    need: ['ERROR: ', 'FAIL: '],
    match:
      /^(?:ERROR|FAIL): (?<test>\w[\w.]* \([\w.<>]+\)|(?:test|setUp|tearDown|Failure: |Doctest: )\S{0,200}|unittest\.loader\.\S+)/,
    score: 78,
    block: { until: /^(?:Ran \d+ tests?|={60,}|FAILED \()/, blanks: 2, max: 100 },
    near: 2,
    examples: [
      {
        log: '======================================================================\nFAIL: test_hits (test_hero.HeroTest)\n----------------------------------------------------------------------\nTraceback (most recent call last):\n  File "test_hero.py", line 3, in test_hits\nAssertionError: 1 != 2',
        line: 2,
      },
    ],
  },
  {
    id: 'pytest.summary',
    tool: 'pytest summary',
    category: 'test_failure',
    role: 'root',
    need: ['FAILED ', 'ERROR '],
    match: /^(?:FAILED|ERROR) (?<file>[\w./\\-]+\.py)(?:::(?<test>\S+))?/,
    score: 60,
    near: 0,
    examples: [{ log: 'FAILED tests/test_hero.py::test_hits - assert 1 == 2', line: 1, file: 'test_hero.py' }],
  },
  {
    id: 'python.traceback',
    tool: 'Python',
    category: 'unknown',
    role: 'root',
    need: ['Traceback (most recent call last)'],
    match: /^\s*(?:\S+: )?Traceback \(most recent call last\):/,
    score: 54,
    block: {
      more: /^\s+\S|^(?:[\w.]+(?:Error|Exception|Warning|Exit|Interrupt|NotFound|Failed|Timeout)\b.*|\w+(?:\.\w+)+: .*|During handling|The above exception|Traceback )/,
      blanks: 1,
      max: 60,
    },
    lead: 'last',
    near: 0,
    examples: [
      {
        log: 'Traceback (most recent call last):\n  File "build.py", line 3, in <module>\n    boom()\nRuntimeError: no config',
        line: 4,
      },
    ],
  },
  {
    id: 'python.error-line',
    tool: 'Python',
    category: 'unknown',
    role: 'root',
    need: ['Error', 'Exception'],
    match: /^(?:E {3,8})?(?:[a-z_]\w*\.)*(?:[A-Z]\w*Error|[A-Z]\w*Exception): (?<msg>\S.*)/,
    score: 44,
    block: { back: /^ {2,}\S|^Traceback \(most/ },
    near: 0,
    examples: [{ log: '  File "build.py", line 3\n    def x(\n         ^\nSyntaxError: invalid syntax', line: 4 }],
  },
  {
    id: 'pip.dependency',
    tool: 'pip',
    category: 'dependency_resolution',
    role: 'root',
    need: [
      'No matching distribution',
      'Could not find a version that satisfies',
      'ResolutionImpossible',
      'Could not build wheels',
      'Cannot install',
      'PackagesNotFoundError',
      'UnsatisfiableError',
      'SolverProblemError',
    ],
    match:
      /^\s*(?:ERROR: )?(?:No matching distribution found for|Could not find a version that satisfies|ResolutionImpossible|Could not build wheels for|Cannot install .{1,200} because|PackagesNotFoundError|UnsatisfiableError|SolverProblemError)(?<msg>.*)/,
    score: 74,
    block: { more: /^\s*(?:ERROR: )?(?:No matching|Could not)|^\s+\S/, max: 8 },
    near: 0,
    fix: 'Check the name and version of the package and the Python version it supports.',
    examples: [
      {
        log: 'ERROR: Could not find a version that satisfies the requirement net==9.9 (from versions: 1.0)\nERROR: No matching distribution found for net==9.9',
        line: 1,
      },
    ],
  },
  {
    id: 'pylint.error',
    tool: 'Python linter',
    category: 'lint_or_doc',
    role: 'root',
    need: ['.py:'],
    match:
      /^(?<file>(?:[A-Za-z]:)?[^\s:][^:]{0,250}\.pyi?):(?:[A-Za-z_][\w.]*:)?(?<line>\d+):(?:\d+:)? (?:\[(?<code>[EF]\d{4})(?:\([\w-]+\))?[,\]]|(?<bare>[EF]\d{4}):) ?(?<msg>.*)/,
    score: 74,
    near: 0,
    examples: [
      {
        log: "src/hero.py:3: [C0111, hits] Missing docstring\nsrc/hero.py:5: [F0401, ] Unable to import 'net'",
        line: 2,
        file: 'hero.py',
      },
    ],
  },
  {
    id: 'flake8.violation',
    tool: 'Python linter',
    category: 'lint_or_doc',
    role: 'root',
    need: ['.py:'],
    match:
      /^(?<file>(?:[A-Za-z]:)?[^\s:][^:]{0,250}\.pyi?):(?:[A-Za-z_][\w.]*:)?(?<line>\d+):(?:\d+:)? (?:(?<code>[A-Z]{1,4}\d{2,5}):? (?<msg>.*)|\[(?<pylint>[A-Z]\d*)(?:\([\w-]+\))?[,\]] ?(?<rest>.*)|(?<mypy>error: .*))$/,
    score: 70,
    near: 0,
    examples: [
      { log: 'src/hero.py:12:80: E501 line too long (85 > 79 characters)', line: 1, file: 'hero.py' },
      { log: 'src/hero.py:12: error: Name "hits" is not defined  [name-defined]', line: 1, file: 'hero.py' },
      { log: "src/hero.py:5: [F0401, ] Unable to import 'net'", line: 1, file: 'hero.py' },
    ],
  },
  {
    id: 'black.format',
    tool: 'Black',
    category: 'lint_or_doc',
    role: 'root',
    need: ['would reformat ', 'error: cannot format', 'ERROR: ', 'Imports are incorrectly sorted'],
    match: /^(?:would reformat|error: cannot format|ERROR:) (?<file>[^\s:]{1,300}\.pyi?)\b(?::? ?(?<msg>.*))?/,
    score: 66,
    near: 0,
    fix: 'Run the formatter and submit the result.',
    examples: [
      { log: 'would reformat src/hero.py\nOh no! 💥 💔 💥', line: 1, file: 'hero.py' },
      { log: 'ERROR: /ws/hero.py Imports are incorrectly sorted.', line: 1, file: 'hero.py' },
    ],
  },
  {
    id: 'tox.error',
    tool: 'tox',
    category: 'build_script_error',
    role: 'wrapper',
    need: ['InvocationError', 'commands failed'],
    match: /^ERROR: (?:InvocationError for command|.{1,80}: commands failed)/,
    score: 42,
    examples: [{ log: 'ERROR:   py37: commands failed', line: 1 }],
  },
  {
    id: 'torch.memory',
    tool: 'CUDA',
    category: 'out_of_memory',
    role: 'root',
    need: ['CUDA out of memory', 'CUDA_ERROR_OUT_OF_MEMORY', 'OutOfMemoryError', 'MemoryError'],
    match: /CUDA out of memory|CUDA_ERROR_OUT_OF_MEMORY|^MemoryError\b/,
    score: 88,
    fix: 'The graphics card or the process ran out of memory: smaller batches, or fewer tests at once on the card.',
    examples: [{ log: 'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.', line: 1 }],
  },
]
