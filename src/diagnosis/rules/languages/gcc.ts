import type { Rule } from '../../rule.ts'

const SNIPPET = /^\s*\d* ?\||^\s|: note: |^In file included|^\d+ (?:errors?|warnings?)(?: and| generated)|^compilation terminated/
const FIRST_ERROR = 'Fix the error in {file} at line {line}. It is the first compiler error; later ones often follow from it.'

/** GCC, Clang and everything that prints like them (Swift, NVCC, Emscripten). */
export const gcc: readonly Rule[] = [
  {
    id: 'gcc.killed',
    tool: 'GCC',
    category: 'out_of_memory',
    role: 'root',
    need: ['Killed', 'virtual memory exhausted', 'out of memory', 'Cannot allocate memory'],
    match:
      /(?:internal compiler error: Killed|fatal error: Killed signal|error: unable to execute command: Killed|virtual memory exhausted|cc1\w{0,12}: out of memory|LLVM ERROR: out of memory|collect2: fatal error: ld terminated with signal 9)/,
    score: 92,
    block: { more: /^compilation terminated/ },
    fix: 'The system killed the compiler for want of memory: run fewer compile jobs at once (make -j) or add memory.',
    examples: [{ log: 'c++: fatal error: Killed signal terminated program cc1plus\ncompilation terminated.', line: 1 }],
  },
  {
    id: 'gcc.crash',
    tool: 'GCC',
    category: 'crash',
    role: 'root',
    need: ['internal compiler error', 'PLEASE submit a bug report'],
    match: /internal compiler error: (?!Killed)|^PLEASE submit a bug report to https?:\/\/\S*llvm/,
    score: 84,
    block: { more: /^\s|^Please submit|^See |^0x/ },
    examples: [{ log: 'src/a.cpp:3:1: internal compiler error: Segmentation fault\nPlease submit a full bug report,', line: 1 }],
  },
  {
    id: 'gcc.error',
    tool: 'C/C++ compiler',
    category: 'compile_error',
    role: 'root',
    need: ['error:', 'Error:', 'erreur', 'Fehler:', 'エラー:', '错误：', '错误:', 'ошибка:', '오류:', 'errore:'],
    match:
      /^(?:\[\w+\] +|[❌✖] +)?(?<file>(?:[A-Za-z]:)?[^\s:'"(][^:'"(]{0,300}?):(?<line>\d+)(?:[:.]\d+)?:? ?(?:fatal |schwerwiegender |致命的?|фатальная |치명적 ?)?(?:error|Error|erreur(?: fatale)?|Fehler|エラー|错误|ошибка|오류|errore) ?[:：] ?(?<msg>.*)/,
    score: 78,
    block: { back: /^In file included from|^\s+from \S+:\d+|^\S+: In |^\S+: At /, more: SNIPPET, blanks: 0, max: 20 },
    near: 1,
    fix: FIRST_ERROR,
    examples: [
      {
        log: "src/hero.cpp: In function 'int main()':\nsrc/hero.cpp:12:13: error: 'Guard' was not declared in this scope",
        line: 2,
        file: 'hero.cpp',
      },
      { log: "App.swift:12:5: error: cannot find 'hits' in scope\n    hits\n    ^~~~~~", line: 1, file: 'App.swift' },
      { log: 'src/hero.c:12:3: ошибка: «hits» не описан', line: 1, file: 'hero.c' },
      { log: 'src/hero.c:12:3: 오류: ‘hits’이(가) 선언되지 않았습니다', line: 1, file: 'hero.c' },
      { log: 'src/hero.c:12:3: 致命错误：hits.h：没有那个文件或目录', line: 1, file: 'hero.c' },
      { log: 'src/hero.c:12:3: erreur fatale: hits.h : Aucun fichier ou dossier de ce type', line: 1, file: 'hero.c' },
      { log: 'src/a.c:3:10: fatal error: foo.h: No such file or directory\ncompilation terminated.', line: 1, file: 'a.c' },
    ],
  },
  {
    id: 'clang.msvc-style',
    tool: 'C/C++ compiler',
    category: 'compile_error',
    role: 'root',
    need: ['): error:', ') : error:', '): fatal error:', ') : fatal error:', '): error :', '): fatal error :'],
    match:
      /^\s*(?:\S+: Error: +)?(?<file>(?:[A-Za-z]:)?[^\s:("'][^:("']{0,300}\.(?:c|cc|cpp|cxx|c\+\+|h|hh|hpp|hxx|inl|ipp|inc|ixx|cppm|m|mm|ispc|cu))\((?<line>\d+)(?:,\d+)?\) ?: (?:fatal )?error ?: (?<msg>.*)/i,
    score: 80,
    block: { back: /^In file included from/, more: SNIPPET, max: 20 },
    near: 1,
    fix: FIRST_ERROR,
    examples: [
      {
        log: "In file included from D:\\ws\\Game.cpp:1:\nD:\\ws\\Source\\Game\\Combat.cpp(12,9): error: use of undeclared identifier 'Guard'\n        Guard();\n        ^",
        line: 2,
        file: 'Combat.cpp',
      },
      { log: "Combat.cpp(12,9): fatal error: 'Guard.h' file not found", line: 1, file: 'Combat.cpp' },
      { log: "2>Combat.cpp(12,9): error : use of undeclared identifier 'Guard'", line: 1, file: 'Combat.cpp' },
    ],
  },
  {
    id: 'gcc.driver',
    tool: 'C/C++ compiler',
    category: 'compile_error',
    role: 'root',
    need: ['error:'],
    match:
      /^(?:gcc|g\+\+|cc|c\+\+|clang(?:\+\+)?(?:-\d+)?|cc1(?:plus|obj)?|emcc|nvcc)(?:\.exe)?: (?:fatal )?error: (?<msg>(?!Killed|linker command|unable to execute).*)/,
    score: 62,
    examples: [{ log: "clang: error: unknown argument: '-fcoroutines-ts'", line: 1 }],
  },
  {
    id: 'embedded.error',
    tool: 'C/C++ compiler',
    category: 'compile_error',
    role: 'root',
    need: ['",'],
    match:
      /^"(?<file>[^"]{1,300})",(?: line )?(?<line>\d+):?\s+(?:catastrophic |fatal |Fatal )?[eE]rror ?(?:#\d+|\[\w+\])?(?:: +(?<code>#\d+[\w-]*))?/,
    score: 78,
    block: { more: /^\s+\S/, max: 4 },
    near: 2,
    examples: [
      {
        log: '"src/hero.cpp", line 12: Error:  #20: identifier "Hits" is undefined',
        line: 1,
        file: 'hero.cpp',
      },
      { log: '"src/hero.cpp",12 Error[Pe020]: identifier "Hits" is undefined', line: 1, file: 'hero.cpp' },
    ],
  },
  {
    id: 'embedded.paren',
    tool: 'C/C++ compiler',
    category: 'compile_error',
    role: 'root',
    need: ['rror[', 'Error ', 'error '],
    match:
      /^(?<file>(?:[A-Za-z]:)?[^\s:("][^:("]{0,300}?) ?\((?<line>\d+)(?:,\d+)?\) ?: (?:fatal |Fatal )?[eE]rror ?(?:\[(?<code>\w+)\]|(?<number>\d{1,4}|[A-Z]{2,}\d*))? ?: ?(?<msg>.*)/,
    score: 70,
    near: 2,
    examples: [{ log: 'C:\\fw\\hero.h(12) : Fatal Error[Pe005]: could not open "hits.h"', line: 1, file: 'hero.h' }],
  },
]
