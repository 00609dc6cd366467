import type { Rule } from '../../rule.ts'

/** Build systems that spread work over machines, and the error list that Visual Studio copies. */
export const distributedBuilds: readonly Rule[] = [
  {
    id: 'fastbuild.script',
    tool: 'FASTBuild',
    category: 'build_system',
    role: 'root',
    need: ['FASTBuild Error #'],
    match: /^(?<file>[^\s(:][^(:]{0,300})\((?<line>\d+),\d+\): FASTBuild Error #(?<code>\d{4}) - (?<msg>.*)/,
    score: 86,
    block: { more: /^\s+\S/, max: 4 },
    fix: 'Fix error {code} in {file} at line {line}.',
    examples: [
      {
        log: "D:\\ws\\fbuild.bff(12,3): FASTBuild Error #1009 - Unknown variable '.Hits'.\n    .Out = .Hits\n    \\--here",
        line: 1,
        file: 'fbuild.bff',
      },
    ],
  },
  {
    id: 'fastbuild.failed',
    tool: 'FASTBuild',
    category: 'build_system',
    role: 'wrapper',
    need: ['FBuild: '],
    match: /^FBuild: (?:Error: )?BUILD FAILED\b/,
    score: 50,
    examples: [{ log: 'FBuild: Error: BUILD FAILED: all', line: 1 }],
  },
  {
    id: 'incredibuild.service',
    tool: 'IncrediBuild',
    category: 'infra_agent',
    role: 'root',
    need: ['ncredi'],
    match:
      /Incredi[Bb]uild.{0,80}(?:[Ss]ervice is not running|(?:unable|failed|cannot|could not) (?:to )?(?:connect|reach|contact).{0,40}(?:[Cc]oordinator|[Aa]gent))(?<msg>.*)/,
    score: 84,
    fix: 'Start the IncrediBuild agent service on the build machine and check that it reaches its coordinator.',
    examples: [{ log: 'IncrediBuild: failed to connect to Coordinator on build-hub', line: 1 }],
  },
  {
    id: 'visual-studio.compile',
    tool: 'Visual Studio',
    category: 'compile_error',
    role: 'root',
    need: ['Error\t', 'Error (active)\t', 'Fehler\t', 'Erreur\t'],
    match:
      /^(?:Error(?: \(active\))?|Fehler|Erreur)\t(?<code>(?:C|E|CS|MSB|BC|TS)\d{3,5})?\t(?<msg>[^\t]{1,400})\t[^\t]{0,100}\t(?<file>[^\t]{1,300})\t(?<line>\d+)/,
    score: 82,
    near: 1,
    fix: 'Fix {code} in {file} at line {line}. It is the first compiler error; later ones often follow from it.',
    examples: [
      {
        log: "Severity\tCode\tDescription\tProject\tFile\tLine\nError\tC2065\t'Hits': undeclared identifier\tGame\tD:\\ws\\Source\\Hero.cpp\t12\t",
        line: 2,
        file: 'Hero.cpp',
      },
    ],
  },
  {
    id: 'visual-studio.link',
    tool: 'Visual Studio',
    category: 'link_error',
    role: 'root',
    need: ['Error\tLNK', 'Fehler\tLNK', 'Erreur\tLNK'],
    match: /^(?:Error|Fehler|Erreur)\t(?<code>LNK\d{4})\t(?<msg>[^\t]{1,600})\t/,
    score: 82,
    near: 1,
    fix: 'Find who should define the symbol of {code}: a source file that was not submitted, or a module missing from the dependencies.',
    examples: [
      { log: 'Error\tLNK2019\tunresolved external symbol "void __cdecl Fire(void)"\tGame\tD:\\ws\\Hero.obj\t1\t', line: 1 },
    ],
  },
  {
    id: 'unreal.exit-machine',
    tool: 'AutomationTool',
    category: 'infra_agent',
    role: 'followup',
    need: ['(Error_'],
    match:
      /AutomationTool exiting with ExitCode=\d+ \((?<code>Error_(?:DeviceNotSetupForDevelopment|DeviceOutOfSpace|AppInstallFailed|LauncherFailed|FailedToDeleteStagingDirectory))\)/,
    score: 70,
    fix: 'Check the device or the staging folder of the build machine ({code}).',
    examples: [{ log: 'AutomationTool exiting with ExitCode=36 (Error_DeviceOutOfSpace)', line: 1 }],
  },
  {
    id: 'unreal.exit-sdk',
    tool: 'AutomationTool',
    category: 'build_system',
    role: 'followup',
    need: ['(Error_'],
    match:
      /AutomationTool exiting with ExitCode=\d+ \((?<code>Error_(?:SDKNotFound|AndroidBuildToolsPathNotFound|NDKPathNotFound|MissingExecutable))\)/,
    score: 70,
    fix: 'Install the SDK or tool named by {code} on the build machine.',
    examples: [{ log: 'AutomationTool exiting with ExitCode=27 (Error_SDKNotFound)', line: 1 }],
  },
  {
    id: 'notarytool.invalid',
    tool: 'notarytool',
    category: 'signing',
    role: 'root',
    need: ['"Invalid"', '"Rejected"', 'status: Invalid', 'status: Rejected'],
    proof: /notary|notari[sz]/i,
    match: /"status" ?: ?"(?:Invalid|Rejected)"|^\s*status: (?:Invalid|Rejected)$/,
    score: 80,
    block: { more: /^\s*(?:"|id:|message:|[}\]])/, max: 20 },
    fix: 'Read the notarization log (`xcrun notarytool log`): it lists each binary that is not signed correctly.',
    examples: [
      {
        log: 'xcrun notarytool submit game.zip --wait\n{"id":"0f3","status":"Invalid","message":"Processing complete"}',
        line: 2,
      },
    ],
  },
  {
    id: 'notarytool.issue',
    tool: 'notarytool',
    category: 'signing',
    role: 'root',
    need: ['"message"'],
    match:
      /"message" ?: ?"(?<msg>The (?:binary is not signed|signature (?:of the binary is invalid|does not include a secure timestamp)|executable (?:does not have the hardened runtime|requests the com\.apple)).{0,200})"/,
    score: 86,
    near: 6,
    fix: 'Sign the binary with a Developer ID certificate, the hardened runtime and a secure timestamp, then submit it again.',
    examples: [{ log: '      "message": "The binary is not signed with a valid Developer ID certificate.",', line: 1 }],
  },
]
