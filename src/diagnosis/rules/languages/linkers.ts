import type { Rule } from '../../rule.ts'

const SYMBOLS =
  /^\s+(?:"|_|referenced|>>>|in )|^>>> |: (?:undefined reference|more undefined references)|: multiple definition of|: first defined here|^collect2|^ld: symbol|^clang(?:\+\+)?: error: linker|: in function /

/** GNU ld, gold, lld, Apple ld. */
export const linkers: readonly Rule[] = [
  {
    id: 'ld.undefined',
    tool: 'linker',
    category: 'link_error',
    role: 'root',
    need: ['undefined reference', 'multiple definition', 'undefined symbol', 'Undefined symbol', 'duplicate symbol'],
    match:
      /(?:^|[\s:])(?:undefined reference to [`'"‘]|multiple definition of [`'"‘]|error: undefined symbol: |Undefined symbols? for architecture|Undefined symbols?:|\d* ?duplicate symbols? )(?<msg>.*)/,
    score: 80,
    block: { back: /: in function |: In function /, more: SYMBOLS, max: 40 },
    near: 1,
    fix: 'Find who should define the symbol: a source file missing from the target, a library missing from the link line, or a changed signature.',
    examples: [
      {
        log: "main.o: in function `main':\nmain.cpp:(.text+0x5): undefined reference to `fire()'\ncollect2: error: ld returned 1 exit status",
        line: 2,
      },
      {
        log: 'Undefined symbols for architecture arm64:\n  "_fire", referenced from:\n      _main in main.o\nld: symbol(s) not found for architecture arm64',
        line: 1,
      },
    ],
  },
  {
    id: 'ld.error',
    tool: 'linker',
    category: 'link_error',
    role: 'root',
    need: ['ld: ', 'ld.', 'ld-', 'lld'],
    match:
      /^(?<linker>\S*\b(?:ld|lld|ld\.lld(?:-\d+)?|ld64\.lld|wasm-ld|ld\.gold|ld\.bfd|lld-link)(?:\.exe)?): (?:fatal )?(?:error: |cannot find |unrecognized |framework not found |library not found |in function)(?<msg>.*)/,
    score: 74,
    block: { more: SYMBOLS },
    near: 1,
    examples: [
      { log: 'ld.lld: error: cannot find -lphysx', line: 1 },
      { log: '/usr/bin/ld: cannot find -lssl\ncollect2: error: ld returned 1 exit status', line: 1 },
    ],
  },
  {
    id: 'kbuild.modpost',
    tool: 'linker',
    category: 'link_error',
    role: 'root',
    need: ['modpost:'],
    match: /^ERROR: modpost: (?<msg>.*)/,
    score: 76,
    near: 1,
    examples: [{ log: 'ERROR: modpost: "foo_bar" [drivers/net/foo.ko] undefined!', line: 1 }],
  },
  {
    id: 'ld.wrapper',
    tool: 'linker',
    category: 'link_error',
    role: 'wrapper',
    need: ['ld returned', 'linker command failed', 'symbol(s) not found'],
    match: /ld returned \d+ exit status|linker command failed with exit code|ld: symbol\(s\) not found/,
    score: 62,
    examples: [{ log: 'collect2: error: ld returned 1 exit status', line: 1 }],
  },
]
