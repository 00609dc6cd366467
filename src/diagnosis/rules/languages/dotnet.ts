import type { Rule } from '../../rule.ts'

/** C#, F#, MSBuild, NuGet and the .NET test runners. */
export const dotnet: readonly Rule[] = [
  {
    id: 'csharp.error',
    tool: 'C# compiler',
    category: 'compile_error',
    role: 'root',
    need: ['error CS', 'error FS', 'error BC', 'error RZ', 'error MC', 'error XAML', 'error XLS'],
    match:
      /^\s*(?<file>[^\s(:][^(:]{0,300}|[A-Za-z]:[^(:]{1,300}?) ?\((?<line>\d+)(?:,\d+){0,3}\) ?: error (?<code>(?:CS|FS|BC|RZ|MC|XLS)\d{3,5}|XAML\w*) ?: (?<msg>.*)/,
    score: 86,
    near: 2,
    fix: 'Fix {code} in {file} at line {line}. It is the first compiler error; later ones often follow from it.',
    examples: [
      {
        log: "Assets/Scripts/Hero.cs(22,7): error CS0246: The type or namespace name 'Foo' could not be found",
        line: 1,
        file: 'Hero.cs',
      },
    ],
  },
  {
    id: 'dotnet.analyzer',
    tool: 'C# compiler',
    category: 'compile_error',
    role: 'root',
    need: ['): error '],
    match:
      /^\s*(?<file>[^\s(:][^(:]{0,300}|[A-Za-z]:[^(:]{1,300}?) ?\((?<line>\d+)(?:,\d+){0,3}\) ?: error (?<code>(?!CS|TS|C\d|LNK|X\d)[A-Z]{2,8}\d{3,5}) ?: (?<msg>.*)/,
    score: 76,
    near: 0,
    fix: 'Fix {code} in {file} at line {line}.',
    examples: [
      {
        log: 'Assets/Systems/Wheel.cs(21,13): error DC0004: Entities.ForEach lambda captures a non-value type',
        line: 1,
        file: 'Wheel.cs',
      },
    ],
  },
  {
    id: 'csharp.file',
    tool: 'C# compiler',
    category: 'compile_error',
    role: 'root',
    need: ['error CS', 'error FS'],
    match: /^(?:error|CSC ?: error|FSC ?: error) (?<code>(?:CS|FS)\d{4}) ?: (?<msg>.*)/,
    score: 82,
    near: 1,
    examples: [{ log: "CSC : error CS0006: Metadata file 'Foo.dll' could not be found", line: 1 }],
  },
  {
    id: 'nuget.error',
    tool: 'NuGet',
    category: 'dependency_resolution',
    role: 'root',
    need: ['error NU', 'error NETSDK', 'error : NU'],
    match: /error (?:: )?(?<code>NU\d{4}|NETSDK\d{4}) ?: (?<msg>.*)/,
    score: 80,
    near: 1,
    fix: 'Check the package version and the feeds the build machine may read ({code}).',
    examples: [
      {
        log: '/ws/Game.csproj : error NU1101: Unable to find package Acme.Net. No packages exist with this id in source(s): nuget.org',
        line: 1,
      },
    ],
  },
  {
    id: 'msbuild.error',
    tool: 'MSBuild',
    category: 'build_system',
    role: 'root',
    need: ['error MSB'],
    match:
      /^(?<file>[^\s(:][^(:]{0,300}|[A-Za-z]:[^(:]{1,300}?)(?:\((?<line>\d+)(?:,\d+)?\))? ?: error (?<code>MSB(?!3073|6006|4181)\d{4}) ?: (?<msg>.*)/,
    score: 68,
    fix: 'Fix the project file or the task it runs ({code}).',
    examples: [
      {
        log: 'D:\\ws\\Game.csproj(12,5): error MSB4019: The imported project "x.targets" was not found.',
        line: 1,
        file: 'Game.csproj',
      },
    ],
  },
  {
    id: 'msbuild.wrapper',
    tool: 'MSBuild',
    category: 'build_script_error',
    role: 'wrapper',
    need: ['MSB3073', 'MSB6006', 'Build FAILED.', 'MSB4181'],
    match: /error (?<code>MSB(?:3073|6006|4181)) ?: (?<msg>.*)|^Build FAILED\.$/,
    score: 58,
    examples: [{ log: 'D:\\ws\\Game.vcxproj(44,5): error MSB3073: The command "Build.bat" exited with code 6.', line: 1 }],
  },
  {
    id: 'dotnet.test',
    tool: '.NET tests',
    category: 'test_failure',
    role: 'root',
    need: ['Failed ', '[FAIL]', ') Failed : ', ') Error : '],
    match:
      /^\s*(?:(?:X|Failed) (?<test>[\w.<>`+(),": =-]{3,300}?) \[[\d<][^\]]{0,20}\]|\[xUnit\.net [\d:.]+\]\s+(?<xunit>\S.{0,300}) \[FAIL\]|(?<nunit>\S.{0,200}) \[FAIL\]|\d+\) (?:Failed|Error) : (?<old>.+))$/,
    score: 74,
    block: {
      until:
        /^\s*(?:(?:X|Failed|Passed|Skipped|√|!) \S.{0,300} \[|Test Run Failed|Total tests|Results File|\[xUnit\.net|\d+\) (?:Failed|Error) : |Failed! |Run Settings|Test Run Summary)/,
      max: 60,
    },
    near: 1,
    examples: [
      {
        log: '  Failed Combat.Tests.HitsTwice [12 ms]\n  Error Message:\n   Assert.Equal() Failure\n  Stack Trace:\n     at Combat.Tests.HitsTwice() in /ws/Tests.cs:line 12',
        line: 1,
      },
      { log: '1) Failed : Combat.Tests.HitsTwice\n  Expected: 2\n  But was:  1', line: 1 },
    ],
  },
  {
    id: 'dotnet.unhandled',
    tool: '.NET',
    category: 'crash',
    role: 'root',
    need: ['Unhandled exception', 'Unhandled Exception'],
    match: /^Unhandled [Ee]xception[.:] (?<msg>.*)/,
    score: 58,
    block: { more: /^\s+at |^ *--->|^\s+---/, max: 30 },
    examples: [{ log: 'Unhandled exception. System.IO.FileNotFoundException: Could not find file\n   at Build.Main()', line: 1 }],
  },
]
