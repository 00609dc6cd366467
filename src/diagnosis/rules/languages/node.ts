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
    id: 'npm.refused',
    tool: 'npm',
    category: 'dependency_resolution',
    role: 'root',
    need: ['npm ERR! ', 'npm error '],
    match:
      /^npm (?:ERR!|error) (?<msg>\S{0,100}: Permission denied \(publickey\).*|(?:fatal: |remote: )(?:Could not read from remote repository|Repository not found|Authentication failed).*|401 Unauthorized .*|403 Forbidden .*)/,
    score: 78,
    block: { back: /^npm (?:ERR!|error)/, more: /^npm (?:ERR!|error) (?!A complete log)/, max: 8 },
    near: 0,
    fix: 'Give the build machine a key or token for the repository or registry of the package, or ask for it over an address that needs none.',
    examples: [
      {
        log: 'npm error code 128\nnpm error An unknown git error occurred\nnpm error git@host.example: Permission denied (publickey).\nnpm error fatal: Could not read from remote repository.',
        line: 3,
      },
    ],
  },
  {
    id: 'npm.version',
    tool: 'npm',
    category: 'dependency_resolution',
    role: 'root',
    need: ['npm ERR! ', 'npm error '],
    match:
      /^npm (?:ERR!|error) (?:notarget |404 +)(?<msg>No matching version found for .*|'\S{1,200}' is not in (?:this|the npm) registry.*|Not Found - GET .*)/,
    score: 76,
    block: { more: /^npm (?:ERR!|error) (?!A complete log)/, max: 14 },
    near: 0,
    fix: 'Ask for a version of the package that the registry has, or point npm to the registry that has it.',
    examples: [
      {
        log: 'npm error code ETARGET\nnpm error notarget No matching version found for @acme/hero@^9.0.0.',
        line: 2,
      },
    ],
  },
  {
    id: 'npm.lockfile',
    tool: 'npm',
    category: 'dependency_resolution',
    role: 'root',
    need: ['npm ci', 'ERR_PNPM_OUTDATED_LOCKFILE', 'The lockfile would have been modified', 'YN0028'],
    match:
      /^(?:npm (?:ERR!|error) )?(?<msg>`npm ci` can only install packages when .*|.{0,20}The `npm ci` command can only install with an existing package-lock.*)|^\s*(?<pnpm>ERR_PNPM_OUTDATED_LOCKFILE .*)|^➤ YN0028: .*(?<yarn>The lockfile would have been modified .*)/,
    score: 82,
    block: { more: /^npm (?:ERR!|error) (?!A complete log)/, max: 14 },
    fix: 'Install once on a work machine and commit the lockfile together with package.json.',
    examples: [
      {
        log: 'npm error `npm ci` can only install packages when your package.json and package-lock.json are in sync.\nnpm error Missing: hero@1.0.0 from lock file',
        line: 1,
      },
      { log: ' ERR_PNPM_OUTDATED_LOCKFILE  Cannot install with "frozen-lockfile"', line: 1 },
    ],
  },
  {
    id: 'gyp.tools',
    tool: 'node-gyp',
    category: 'dependency_resolution',
    role: 'root',
    need: ['gyp ERR! find '],
    match:
      /^(?:npm (?:ERR!|error) )?gyp ERR! find (?<msg>(?:Python|VS) (?:Python is not set|You need to install|could not find|Could not use PowerShell).*)/,
    score: 82,
    block: { back: /gyp ERR! find (?:Python|VS) ?$/, more: /gyp ERR! find /, max: 30 },
    near: 2,
    fix: 'A package has no ready-made binary for this machine and is compiled: install Python and a C++ compiler there, or take a version that has one.',
    examples: [
      {
        log: 'gyp ERR! find Python \ngyp ERR! find Python Python is not set from command line or npm configuration\ngyp ERR! find Python You need to install the latest version of Python.',
        line: 2,
      },
    ],
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
