import { describe, expect, it } from 'vitest'
import type { FailureCategory } from '../contract/sets.ts'
import { diagnose } from './diagnose.ts'
import type { Finding } from './finding.ts'

/** Small realistic logs, each with the line of the cause, as a build engineer would mark it. */
interface Labeled {
  name: string
  lines: string[]
  /** Counted from 1. */
  line: number
  category: FailureCategory
  file?: string
}

const SET: Labeled[] = [
  {
    name: 'Unreal: a C++ error behind the build tool',
    category: 'compile_error',
    line: 3,
    file: 'Source/Game/Tide.cpp',
    lines: [
      'Using bundled DotNet SDK version: 6.0.302',
      '[14/96] Compile Tide.cpp',
      "Source/Game/Tide.cpp(88): error C2039: 'Level': is not a member of 'UTide'",
      '[15/96] Compile Moon.cpp',
      'Took 12.4 seconds to run UnrealBuildTool',
      'AutomationTool exiting with ExitCode=6 (6)',
      'BUILD FAILED',
    ],
  },
  {
    name: 'Unreal: a cook that misses an asset',
    category: 'cook_asset_error',
    line: 2,
    lines: [
      'LogCook: Display: Cooked packages 1200 Packages Remain 340 Total 1540',
      'LogUObjectGlobals: Error: Failed to load /Game/Maps/Harbour: File not found',
      'LogCook: Display: Cooked packages 1540 Packages Remain 0 Total 1540',
      'LogInit: Display: Failure - 1 error(s), 14 warning(s)',
      'AutomationTool exiting with ExitCode=25 (Error_UnknownCookFailure)',
    ],
  },
  {
    name: 'Unity: a script error',
    category: 'compile_error',
    line: 2,
    file: 'Assets/Scripts/Crane.cs',
    lines: [
      '-----CompilerOutput:-stdout--exitcode: 1--compilationhadfailure: True--outfile: Temp/Assembly-CSharp.dll',
      "Assets/Scripts/Crane.cs(31,17): error CS1061: 'Hook' does not contain a definition for 'Swing'",
      '-----EndCompilerOutput---------------',
      'Scripts have compiler errors.',
      'Aborting batchmode due to failure:',
    ],
  },
  {
    name: 'gcc behind make, with warnings before it',
    category: 'compile_error',
    line: 4,
    file: 'src/boat.c',
    lines: [
      'gcc -c src/sail.c',
      'src/sail.c:9:6: warning: unused variable ‘wind’ [-Wunused-variable]',
      'gcc -c src/boat.c',
      'src/boat.c:40:12: error: ‘hull’ undeclared (first use in this function)',
      'make: *** [Makefile:12: boat.o] Error 1',
    ],
  },
  {
    name: 'a linker that misses a symbol',
    category: 'link_error',
    line: 2,
    lines: [
      'Linking game',
      "/usr/bin/ld: main.o: in function `main': main.c:(.text+0x1a): undefined reference to `harbour_open'",
      'collect2: error: ld returned 1 exit status',
      'make: *** [Makefile:20: game] Error 1',
    ],
  },
  {
    name: 'a failing test among passing ones',
    category: 'test_failure',
    line: 6,
    lines: [
      '  PASS  test/sail.test.js',
      '  FAIL  test/crane.test.js',
      '  ● Crane › lifts what it should',
      '',
      '',
      '    expect(received).toBe(expected) // Object.is equality',
      '',
      '    Expected: 5',
      '    Received: 4',
      '',
      '      at Object.<anonymous> (test/crane.test.js:14:20)',
      '',
      'Tests:       1 failed, 41 passed, 42 total',
      'npm ERR! Test failed.  See above for more details.',
    ],
  },
  {
    name: 'pytest',
    category: 'test_failure',
    line: 5,
    lines: [
      '=================================== FAILURES ===================================',
      '_________________________________ test_anchor __________________________________',
      '    def test_anchor():',
      '>       assert depth() == 12',
      'E       assert 11 == 12',
      'E        +  where 11 = depth()',
      'tests/test_anchor.py:5: AssertionError',
      '=========================== 1 failed, 30 passed in 2.11s ===========================',
    ],
  },
  {
    name: 'a dependency that cannot be resolved',
    category: 'dependency_resolution',
    line: 2,
    lines: [
      'npm ERR! code ERESOLVE',
      'npm ERR! ERESOLVE unable to resolve dependency tree',
      'npm ERR! While resolving: cinder@1.0.0',
      'npm ERR! Found: react@19.0.0',
    ],
  },
  {
    name: 'a full disk',
    category: 'out_of_disk',
    line: 2,
    lines: ['Copying Content to stage', "cp: error writing 'stage/pak0.pak': No space left on device", 'Build step failed'],
  },
  {
    name: 'a compiler killed for memory',
    category: 'out_of_memory',
    line: 2,
    lines: [
      'c++ -O2 -c world.cpp',
      'c++: fatal error: Killed signal terminated program cc1plus',
      'compilation terminated.',
      'make: *** [Makefile:9: world.o] Error 1',
    ],
  },
  {
    name: 'a checkout that fails',
    category: 'scm_sync',
    line: 2,
    lines: [
      'Cloning into repository',
      "fatal: unable to access 'https://git.example/studio/game.git/': The requested URL returned error: 403",
      'script returned exit code 128',
    ],
  },
  {
    name: 'rustc',
    category: 'compile_error',
    line: 2,
    file: 'src/dock.rs',
    lines: [
      '   Compiling harbour v0.1.0 (/ws/harbour)',
      'error[E0425]: cannot find value `tide` in this scope',
      ' --> src/dock.rs:7:13',
      '  |',
      '7 |     println!("{tide}");',
      '  |                ^^^^ not found in this scope',
      '',
      'error: could not compile `harbour` (bin "harbour") due to 1 previous error',
    ],
  },
]

const told = ({ evidence, category }: Finding) => ({ lines: evidence.map(({ line }) => line), category })

describe('each log of the set', () => {
  it.each(SET)('$name', ({ lines, line, category, file }) => {
    const finding = diagnose(lines.join('\n'))
    expect(told(finding)).toEqual({ lines: expect.arrayContaining([line]), category })
    if (file !== undefined) expect(finding.file_path).toContain(file)
  })

  it.each(SET)('$name, with the build service’s timestamp before each line', ({ lines, line, category }) => {
    const stamped = lines.map((text, i) => `2026-10-01T10:00:${String(i).padStart(2, '0')}.0000000Z ${text}`)
    const finding = diagnose(stamped.join('\n'))
    expect(told(finding)).toEqual({ lines: expect.arrayContaining([line]), category })
  })
})

it('a passed build has no cause, whatever its warnings', () => {
  const { confidence, evidence } = diagnose(
    ['src/sail.c:9:6: warning: unused variable', 'Errors: 0', 'tests/error_handling.c ok', 'BUILD SUCCESSFUL in 12s'].join('\n'),
  )
  expect({ confidence, evidence }).toEqual({ confidence: 'low', evidence: [] })
})

it.each([
  ['Perforce password (P4PASSWD) invalid or unset.', 'Perforce password (P4PASSWD) invalid or unset.'],
  ["executeMethod class 'Builder' could not be found.", "executeMethod class 'Builder' could not be found."],
  ['src/boat.c:40:12: error: ‘hull’ undeclared (first use in this function)', 'src/boat.c:40: ‘hull’ undeclared'],
])('%s is quoted as a whole unless a sentence starts inside it', (line, quoted) => {
  expect(diagnose(line).diagnosis).toContain(quoted)
})
