import type { Rule } from '../../rule.ts'

const TRACE = /^(?:\[ERROR\] )?\s+(?:at |\.{3} \d+ (?:more|common))|^(?:\[ERROR\] )?Caused by: |^\s*Suppressed: /

/** javac, Kotlin, Maven, Gradle, Ant, JUnit, TestNG, Checkstyle and friends. */
export const java: readonly Rule[] = [
  {
    id: 'java.compile',
    tool: 'Java compiler',
    category: 'compile_error',
    role: 'root',
    need: ['.java:', '.groovy:'],
    match:
      /^\s*(?:\[(?:ERROR|javac|error)\] +(?:\[ERROR\] +)?(?<file>[^\s:[][^:[]{0,300}\.(?:java|groovy)):\[?(?<line>\d+)(?:[,:]\d+\]?)?:? (?:(?:error|エラー): )?(?!warning|note|警告)|(?<plain>[^\s:[][^:[]{0,300}\.(?:java|groovy)):(?<at>\d+): (?:error|エラー|错误|Fehler|erreur)\s?: )(?<msg>\S.*)/,
    score: 72,
    block: { more: /^(?:\[\w+\] )?(?:\s+\S|\s*\^)|^\s+(?:symbol|location)\s*:/, max: 8 },
    near: 0,
    fix: 'Fix the error in {file} at line {line}.',
    examples: [
      {
        log: 'src/main/java/Hero.java:12: error: cannot find symbol\n  symbol:   class Weapn\n  location: class Hero',
        line: 1,
        file: 'Hero.java',
      },
      { log: '[ERROR] /ws/src/main/java/Hero.java:[12,8] cannot find symbol', line: 1, file: 'Hero.java' },
    ],
  },
  {
    id: 'javadoc.error',
    tool: 'Javadoc',
    category: 'lint_or_doc',
    role: 'root',
    need: ['.java:'],
    match:
      /^(?:\[ERROR\] )?(?:Exit code: \d+ - )?(?<file>[^\s:[]{1,300}\.java):(?<line>\d+): (?:error|warning): (?<msg>(?:malformed HTML|bad use of|unexpected end tag|reference not found|unknown tag|self-closing element|@param|exception not thrown|no (?:description|@param|@return|comment)|bad HTML entity|element not closed|invalid use of).*)/,
    score: 84,
    block: { more: /^(?:\[ERROR\] )?\s*[*^]/, max: 3 },
    near: 0,
    fix: 'Correct the comment in {file} at line {line}.',
    examples: [
      { log: 'src/Hero.java:12: error: malformed HTML\n * @see <a href="x>x</a>\n         ^', line: 1, file: 'Hero.java' },
    ],
  },
  {
    id: 'kotlin.compile',
    tool: 'Kotlin compiler',
    category: 'compile_error',
    role: 'root',
    need: ['e: ', '.kt:', '.kts:'],
    match:
      /^e: (?:file:\/\/)?(?<file>[^\s:(][^:(]{0,300}\.kts?|[A-Za-z]:[^:(]{1,300}\.kts?):? ?\(?(?<line>\d+)[:,] ?\d+\)?:? (?<msg>.*)/,
    score: 82,
    near: 0,
    fix: 'Fix the error in {file} at line {line}.',
    examples: [
      { log: 'e: file:///ws/app/src/Main.kt:12:5 Unresolved reference: foo', line: 1, file: 'Main.kt' },
      { log: 'e: /ws/app/src/Main.kt: (12, 5): Unresolved reference: foo', line: 1, file: 'Main.kt' },
    ],
  },
  {
    id: 'android.resource',
    tool: 'AAPT',
    category: 'compile_error',
    role: 'root',
    need: ['AAPT: error', 'Android resource linking failed', 'AAPT2 error'],
    match:
      /^(?:ERROR: ?)?(?:(?<file>[^\s:][^:]{0,300}\.xml):(?<line>\d+):(?:\d+:)? )?(?:AAPT2? ?: error|AAPT2 error|error): (?<msg>(?:resource|attribute|failed|style|duplicate|not well).*)/,
    score: 78,
    near: 0,
    fix: 'Fix the resource named in {file}.',
    examples: [
      {
        log: 'ERROR:/ws/app/src/main/res/layout/main.xml:9: AAPT: error: resource color/accent not found.',
        line: 1,
        file: 'main.xml',
      },
    ],
  },
  {
    id: 'junit.summary',
    tool: 'Maven test summary',
    category: 'test_failure',
    role: 'root',
    need: ['Failed tests:', 'Tests in error:', 'Failures:', 'Errors:'],
    match: /^(?:\[ERROR\] )?(?:Failed tests|Tests in error):\s*(?<msg>.*)$|^\[ERROR\] (?:Failures|Errors):\s*$/,
    score: 76,
    header: true,
    block: { until: /^(?:\[(?:INFO|ERROR)\] *)?(?:Tests run:|$)/, blanks: 1, max: 60 },
    near: 2,
    examples: [
      {
        log: 'Results :\n\nFailed tests:\n  HeroTest.hits:12 expected: <1> but was: <2>\n\nTests run: 3, Failures: 1',
        line: 4,
      },
    ],
  },
  {
    id: 'junit.failure',
    tool: 'Maven tests',
    category: 'test_failure',
    role: 'root',
    need: ['<<< FAILURE!', '<<< ERROR!'],
    match:
      /^(?:\[ERROR\] )?(?<test>\S.{0,300}?)(?<=\S)\s+(?:Time elapsed: .{1,40}|-- Time elapsed: .{1,40})<<< (?:FAILURE|ERROR)!/,
    score: 74,
    block: { until: /^(?:\[(?:INFO|ERROR)\] *$|\[INFO\]|Running |Tests run:|Results)/, blanks: 0, max: 40 },
    near: 1,
    examples: [
      {
        log: 'hits(HeroTest)  Time elapsed: 0.01 sec  <<< FAILURE!\njava.lang.AssertionError: expected:<1> but was:<2>\n\tat HeroTest.hits(HeroTest.java:12)',
        line: 1,
      },
    ],
  },
  {
    id: 'gradle.test',
    tool: 'Gradle tests',
    category: 'test_failure',
    role: 'root',
    need: [' FAILED'],
    match: /^(?<test>[\w$.][^>\n]{0,200} > \S.{0,300} )FAILED$/,
    score: 76,
    block: { more: /^\s{2,}\S|^\t/, blanks: 1, max: 40 },
    near: 0,
    examples: [{ log: 'HeroTest > hitsTwice() FAILED\n    java.lang.AssertionError at HeroTest.java:12', line: 1 }],
  },
  {
    id: 'gradle.wrong',
    tool: 'Gradle',
    category: 'build_script_error',
    role: 'root',
    need: ['* What went wrong:'],
    match: /^\* What went wrong:/,
    score: 62,
    header: true,
    block: { until: /^\* (?:Try|Exception|Where)|^$/, blanks: 0, max: 20 },
    examples: [
      {
        log: "* What went wrong:\nExecution failed for task ':app:package'.\n> A problem occurred starting process 'command 'sh''\n\n* Try:",
        line: 2,
      },
    ],
  },
  {
    id: 'gradle.resolve',
    tool: 'Gradle',
    category: 'dependency_resolution',
    role: 'root',
    need: ['Could not resolve', 'Could not find', 'Could not download'],
    match: /^\s*> ?Could not (?:resolve|find|download) (?:all |\S+:\S+)(?<msg>.*)/,
    score: 76,
    block: { more: /^\s+\S/, max: 12 },
    examples: [
      {
        log: '> Could not find com.acme:net:9.9.\n  Searched in the following locations:\n    - https://repo.maven.apache.org/maven2',
        line: 1,
      },
    ],
  },
  {
    id: 'maven.resolve',
    tool: 'Maven',
    category: 'dependency_resolution',
    role: 'root',
    need: [
      'Could not resolve dependencies',
      'Could not find artifact',
      'Could not transfer artifact',
      'Non-resolvable parent POM',
      'UnresolvableModelException',
    ],
    match:
      /(?:Could not resolve dependencies for project|Could not find artifact|Could not transfer artifact|Non-resolvable parent POM)(?<msg>.*)/,
    score: 68,
    block: { more: /^(?:Could not|This could be|If you are behind|\[ERROR\] )/, max: 12 },
    near: 0,
    examples: [
      { log: 'Could not find artifact com.acme:net:jar:9.9 in central (https://repo.maven.apache.org/maven2)', line: 1 },
    ],
  },
  {
    id: 'maven.goal',
    tool: 'Maven',
    category: 'build_script_error',
    role: 'root',
    need: [
      'Failed to execute goal',
      'The build could not read',
      'Non-parseable POM',
      'Unknown lifecycle phase',
      'no POM in this directory',
    ],
    match:
      /^\[(?:ERROR|FATAL)\] (?:Failed to execute goal |The build could not read|Non-parseable POM|Unknown lifecycle phase|.{0,60}there is no POM in this directory)(?<msg>.*)/,
    score: 44,
    block: { more: /^\[ERROR\] (?!$|To see|Re-run|For more|\[Help)|^\s+\S/, max: 12 },
    examples: [
      { log: '[ERROR] Failed to execute goal org.acme:x-plugin:1.0:run (default) on project game: boom -> [Help 1]', line: 1 },
    ],
  },
  {
    id: 'checkstyle.violation',
    tool: 'Checkstyle',
    category: 'lint_or_doc',
    role: 'root',
    need: ['.java:', '[checkstyle]', '.kt:', 'PMD Failure'],
    match:
      /^(?:\s*\[(?:ant:)?checkstyle\] )?\[(?:ERROR|WARN)\] (?<file>[^\s:][^:]{0,300}\.\w+):(?<line>\d+)(?::\d+)?: (?<msg>.*\[\w+\])$|^(?:\[\w+\] )?PMD Failure: (?<pmd>.*)|^(?<ktfile>\S+\.kts?):(?<ktline>\d+):\d+: (?<kt>.*\((?:[\w-]+:)?[\w-]+\))$/,
    score: 76,
    near: 0,
    examples: [
      { log: '[ERROR] /ws/src/Hero.java:3:1: Missing a Javadoc comment. [MissingJavadocMethod]', line: 1, file: 'Hero.java' },
      { log: 'src/Main.kt:3:1: Unexpected blank line (no-consecutive-blank-lines)', line: 1 },
    ],
  },
  {
    id: 'java.memory',
    tool: 'Java',
    category: 'out_of_memory',
    role: 'root',
    need: ['OutOfMemoryError', 'There is insufficient memory for the Java', 'GC overhead limit'],
    match: /java\.lang\.OutOfMemoryError|insufficient memory for the Java Runtime|GC overhead limit exceeded/,
    score: 84,
    block: { more: TRACE },
    fix: 'Give the Java process more heap (-Xmx) or the machine more memory.',
    examples: [{ log: 'java.lang.OutOfMemoryError: Java heap space', line: 1 }],
  },
  {
    id: 'java.exception',
    tool: 'Java',
    category: 'unknown',
    role: 'root',
    need: ['Exception', 'Error'],
    match: /^(?:Exception in thread "[^"]{1,200}" )?(?:[a-z]\w*\.){1,12}[A-Z]\w*(?:Exception|Error)\b(?:: (?<msg>.*))?/,
    score: 50,
    block: { more: TRACE, max: 80 },
    near: 0,
    examples: [
      { log: 'Exception in thread "main" java.lang.IllegalStateException: no config\n\tat Main.main(Main.java:3)', line: 1 },
    ],
  },
  {
    id: 'ant.failed',
    tool: 'Ant',
    category: 'build_script_error',
    role: 'root',
    need: ['BUILD FAILED', 'build.xml'],
    match: /^(?<file>\S+\.xml):(?<line>\d+): (?<msg>.*)/,
    score: 48,
    block: { more: /^\S+\.xml:\d+: / },
    examples: [
      {
        log: 'BUILD FAILED\n/ws/build.xml:120: Compile failed; see the compiler error output for details.',
        line: 2,
        file: 'build.xml',
      },
    ],
  },
  {
    id: 'java.wrapper',
    tool: 'Java build',
    category: 'build_script_error',
    role: 'wrapper',
    need: ['BUILD FAILED', 'BUILD FAILURE', 'There were failing tests', 'There are test failures', 'FAILURE: Build failed'],
    match: /^(?:\[INFO\] )?BUILD FAIL(?:ED|URE)|^FAILURE: Build failed with|There (?:were failing tests|are test failures)/,
    score: 45,
    examples: [{ log: 'FAILURE: Build failed with an exception.', line: 1 }],
  },
]
