import type { Rule } from '../../rule.ts'

/** Microsoft's compiler, linker, resource compiler and assembler. Messages are localized, codes are not. */
export const msvc: readonly Rule[] = [
  {
    id: 'msvc.memory',
    tool: 'MSVC',
    category: 'out_of_memory',
    role: 'root',
    need: ['C1060', 'C1076', 'C3859', 'C1002', 'LNK1102'],
    match: /\berror (?<code>C1060|C1076|C3859|C1002|LNK1102)\b: ?(?<msg>.*)/,
    score: 92,
    block: { more: /^\s|: (?:message|note) ?:/ },
    near: 1,
    fix: 'The compiler ran out of memory ({code}): build fewer files in parallel, shrink the precompiled header or enlarge the page file.',
    examples: [{ log: 'c1xx : fatal error C1060: compiler is out of heap space [D:\\ws\\Game.vcxproj]', line: 1 }],
  },
  {
    id: 'msvc.disk',
    tool: 'MSVC',
    category: 'out_of_disk',
    role: 'root',
    need: ['C1085', 'LNK1140', 'LNK1180', 'LNK1106'],
    match: /\berror (?<code>C1085|LNK1106|LNK1140|LNK1180)\b: ?(?<msg>.*)/,
    score: 80,
    examples: [
      { log: 'Combat.cpp(1): fatal error C1085: Cannot write precompiled header file: no space left on device', line: 1 },
    ],
  },
  {
    id: 'msvc.compile',
    tool: 'MSVC',
    category: 'compile_error',
    role: 'root',
    need: ['error C'],
    match:
      /^\s*(?:\S+: Error: +)?(?<file>[^\s(][^(]{0,300})\((?<line>\d+)(?:,\d+(?:-\d+)?)?\) ?: (?:fatal )?error (?<code>C\d{4}) ?: ?(?<msg>.*)/,
    score: 82,
    block: { more: /^\s+\S|: (?:note|message)\b/, max: 10 },
    near: 3,
    explains: ['msvc.link-input'],
    fix: 'Fix {code} in {file} at line {line}. It is the first compiler error; later ones often follow from it.',
    examples: [
      {
        log: 'D:\\ws\\Source\\Game\\Combat.cpp(12,4): error C2143: missing ; before }',
        line: 1,
        file: 'Combat.cpp',
      },
      {
        log: 'Building 2 actions\nD:/ws/Source/A.cpp(12): error C2065: „Foo“: nichtdeklarierter Bezeichner',
        line: 2,
        file: 'A.cpp',
      },
    ],
  },
  {
    id: 'msvc.compile-anywhere',
    tool: 'MSVC',
    category: 'compile_error',
    role: 'root',
    need: ['error C', 'error RC', 'error A2', 'error D8', 'error MIDL'],
    match:
      /^(?:cl|c1xx|c1|c2|RC|ml64|MIDL|Command line) ?: (?:fatal |Command line )?error (?<code>[A-Z]{1,4}\d{4})\s?: ?(?<msg>.*)/,
    score: 78,
    fix: 'The compiler stopped with {code} before it read the sources: check its options and the files it was given.',
    examples: [{ log: "cl : Command line error D8016 : '/ZI' and '/Gy-' command-line options are incompatible", line: 1 }],
  },
  {
    id: 'msvc.link',
    tool: 'MSVC linker',
    category: 'link_error',
    role: 'root',
    need: ['error LNK'],
    match:
      /^(?:\s*= note: )?\s*(?<file>\S.{0,300}?) ?: (?:fatal )?error (?<code>LNK(?!1120|1104|1181|1102|1106|1107|1136|1140|1143|1180|1235)\d{4}) ?: ?(?<msg>.*)/,
    score: 80,
    block: { more: /^\s+\S/, max: 4 },
    near: 2,
    fix: 'Find who should define the symbol of {code}: a source file that was not submitted, or a module missing from the dependencies.',
    examples: [
      {
        log: 'Combat.cpp.obj : error LNK2019: unresolved external symbol "void __cdecl Fire(void)"',
        line: 1,
        file: 'Combat.cpp.obj',
      },
      { log: 'Foo.obj : error LNK2001: 无法解析的外部符号 "class UEnum"', line: 1, file: 'Foo.obj' },
    ],
  },
  {
    id: 'msvc.damaged',
    tool: 'MSVC linker',
    category: 'link_error',
    role: 'root',
    need: ['LNK1106', 'LNK1107', 'LNK1136', 'LNK1143', 'LNK1235'],
    match: /^\s*(?<file>\S.{0,300}?) ?: fatal error (?<code>LNK\d{4}) ?: ?(?<msg>.*)/,
    score: 86,
    near: 2,
    fix: '{file} is damaged ({code}): delete it and build or download it again. Symbols that the linker misses may be in it.',
    examples: [
      {
        log: 'Hero.obj : error LNK2019: unresolved external symbol sing referenced in function main\nchoir.lib : fatal error LNK1136: invalid or corrupt file',
        line: 2,
        file: 'choir.lib',
      },
    ],
  },
  {
    id: 'msvc.link-input',
    tool: 'MSVC linker',
    category: 'link_error',
    role: 'root',
    need: ['LNK1104', 'LNK1181', 'LNK1120', 'LNK1201', 'LNK1168'],
    match: /^(?<file>.{1,300}?) ?: fatal error (?<code>LNK\d{4}) ?: ?(?<msg>.*)/,
    score: 60,
    near: 2,
    fix: 'The linker could not open or finish a file ({code}): look for the project that should have produced it, or a process that holds it.',
    examples: [{ log: "LINK : fatal error LNK1104: cannot open file 'UnrealEditor-Combat.lib'", line: 1 }],
  },
]
