import type { Rule } from '../../rule.ts'

/** Node itself and its package managers. */
export const node: readonly Rule[] = [
  {
    id: 'npm.dependency',
    tool: 'npm',
    category: 'dependency_resolution',
    role: 'root',
    need: ['npm ERR! ', 'npm error '],
    match:
      /^npm (?:ERR!|error) (?:(?:code )?(?<code>ERESOLVE|ETARGET|E404|EBADENGINE|ENOTSUP|EINTEGRITY|EPEERINVALID|EBADPLATFORM|E40[13])\b.*|notarget .*|404 .*|peerinvalid .*|No compatible version found.*|Could not resolve dependency.*|(?<msg>unable to resolve dependency tree.*))/,
    score: 74,
    block: { more: /^npm (?:ERR!|error)/, max: 14 },
    near: 0,
    fix: 'Check the versions in package.json against what the registry has, and commit a matching lockfile.',
    examples: [{ log: 'npm ERR! code ERESOLVE\nnpm ERR! ERESOLVE unable to resolve dependency tree', line: 1 }],
  },
  {
    id: 'npm.network',
    tool: 'npm',
    category: 'network',
    role: 'root',
    need: ['npm ERR! ', 'npm error ', 'error An unexpected error occurred', 'error Error: ', 'ERR_SOCKET'],
    match:
      /^(?:npm (?:ERR!|error) (?:code )?(?:network |ECONNRESET|ETIMEDOUT|ECONNREFUSED|ENOTFOUND|EAI_AGAIN|ERR_SOCKET_TIMEOUT|5\d\d )|error (?:An unexpected error occurred: |Error: )".{0,300}(?:ECONNRESET|ETIMEDOUT|ESOCKETTIMEDOUT|ENOTFOUND|EAI_AGAIN|getaddrinfo|Request failed))(?<msg>.*)/,
    score: 76,
    block: { more: /^npm (?:ERR!|error)/, max: 12 },
    examples: [{ log: 'npm ERR! code ECONNRESET\nnpm ERR! network aborted', line: 1 }],
  },
  {
    id: 'yarn.dependency',
    tool: 'Yarn',
    category: 'dependency_resolution',
    role: 'root',
    need: ['error ', 'YN00', 'ERR_PNPM'],
    match:
      /^(?:error (?:Couldn't find (?:any versions|package|match)|Your lockfile needs to be updated|Found incompatible module|.{1,200}: The (?:engine|platform) ".{1,60}" is incompatible|Received invalid response|Integrity check failed)|➤ YN00(?:01|02|18|28|35|82): .*|\s*ERR_PNPM_(?!RECURSIVE|LIFECYCLE)\w+)(?<msg>.*)/,
    score: 74,
    block: { more: /^error (?!Command)|^➤/, max: 4 },
    examples: [{ log: 'error Your lockfile needs to be updated, but yarn was run with `--frozen-lockfile`.', line: 1 }],
  },
  {
    id: 'node.exception',
    tool: 'Node.js',
    category: 'unknown',
    role: 'root',
    need: ['Error: ', 'Error [', 'Error:', 'throw err'],
    match:
      /^\s{0,4}(?:Uncaught |Unhandled rejection |\(node:\d+\) UnhandledPromiseRejectionWarning: )?(?:[A-Z]\w*Error|Error)(?: \[\w+\])?:(?: (?<msg>.*)|$)/,
    score: 52,
    block: { back: /^\S+\.[cm]?js:\d+$|^\s+\^+$|^\s*throw\b/, more: /^\s+at |^\s+\S|^\s*\{$|^\}|^ {2}\w+: /, blanks: 1, max: 40 },
    near: 0,
    examples: [
      {
        log: "loader.js:12\n    throw err;\n    ^\n\nError: Cannot find module './hero.json'\n    at Function.Module._resolveFilename (loader.js:12:15)",
        line: 5,
      },
    ],
  },
  {
    id: 'node.syntax',
    tool: 'Node.js',
    category: 'unknown',
    role: 'root',
    need: ['.js:', '.mjs:', '.cjs:'],
    match: /^(?<file>(?:[A-Za-z]:)?[/\\.\w][^\s:]{0,300}\.[cm]?js):(?<line>\d+)$/,
    score: 56,
    block: { more: /^\s|^\w*Error\b|^\S.{0,200}$/, blanks: 1, max: 40 },
    examples: [
      {
        log: '/ws/lib/hero.js:12\n  exports.hit = hit()\n                ^\n\nReferenceError: hit is not defined\n    at Object.<anonymous> (/ws/lib/hero.js:12:17)',
        line: 1,
        file: 'hero.js',
      },
    ],
  },
  {
    id: 'node.memory',
    tool: 'Node.js',
    category: 'out_of_memory',
    role: 'root',
    need: ['JavaScript heap out of memory', 'Allocation failed'],
    match: /FATAL ERROR: .{1,200}JavaScript heap out of memory/,
    score: 88,
    fix: 'Give Node more heap: NODE_OPTIONS=--max-old-space-size=4096.',
    examples: [
      {
        log: 'FATAL ERROR: Ineffective mark-compacts near heap limit Allocation failed - JavaScript heap out of memory',
        line: 1,
      },
    ],
  },
  {
    id: 'gulp.error',
    tool: 'gulp',
    category: 'build_script_error',
    role: 'root',
    need: ["' errored after", 'Fatal error: ', 'Warning: ', 'errored after'],
    match: /^'[^']{1,100}' errored after|^(?:Fatal error|Warning): (?<msg>\S.*?)(?: Use --force to continue\.)?$/,
    score: 44,
    block: { more: /^\S/, max: 14 },
    examples: [{ log: "[18:30:37] 'scripts' errored after 1.2 s\n[18:30:37] Error: boom", line: 1 }],
  },
  {
    id: 'node.missing-task',
    tool: 'task runner',
    category: 'build_script_error',
    role: 'root',
    need: ['Task never defined', 'is not in your gulpfile', 'issing script', 'Task "', 'No gulpfile found', 'Command "'],
    match:
      /^(?:Task never defined: |Task '[^']{1,80}' is not in your gulpfile|No gulpfile found|npm (?:ERR!|error) [Mm]issing script|Warning: Task "[^"]{1,80}" not found|error Command "[^"]{1,80}" not found)(?<msg>.*)/,
    score: 64,
    block: { back: /^Using gulpfile/ },
    fix: 'Call a task that exists, or add it to the scripts of the project.',
    examples: [
      { log: 'npm ERR! missing script: lint', line: 1 },
      { log: '[02:22:53] Using gulpfile ~/ws/gulpfile.js\n[02:22:53] Task never defined: default', line: 2 },
    ],
  },
  {
    id: 'node.wrapper',
    tool: 'npm',
    category: 'build_script_error',
    role: 'wrapper',
    need: ['npm ERR! ', 'npm error ', 'error Command failed', 'ELIFECYCLE'],
    match:
      /^npm (?:ERR!|error) (?:code ELIFECYCLE|Test failed|Failed at|Exit status|command failed)|^error Command failed|ELIFECYCLE/,
    score: 42,
    examples: [{ log: 'npm ERR! code ELIFECYCLE', line: 1 }],
  },
]
