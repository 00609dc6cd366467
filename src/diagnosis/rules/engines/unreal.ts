import type { Rule } from '../../rule.ts'

/** Unreal: UnrealBuildTool, header tool, AutomationTool, cook, shaders, plugins. */
export const unreal: readonly Rule[] = [
  {
    id: 'unreal.module-rules',
    tool: 'UnrealBuildTool',
    category: 'missing_module_plugin',
    role: 'root',
    need: [
      'in a module rules named',
      'Could not find definition for module',
      'Unable to find module',
      'Unable to find plugin',
      "couldn't find module",
    ],
    match:
      /(?:Expecting to find a type to be declared in a module rules named '(?<code>[^']+)'|Could not find definition for module '[^']+'|Unable to find (?:module|plugin) '[^']+'|[Cc]ouldn't find module rules file for module '[^']+')(?<msg>.*)/,
    score: 84,
    near: 0,
    fix: 'The module is named by a target, project or plugin but its Build.cs is not there: submit the plugin or remove the reference.',
    examples: [
      {
        log: "ERROR: Expecting to find a type to be declared in a module rules named 'Radar' in UE5Rules, Version=0.0.0.0.",
        line: 1,
      },
      { log: "Unable to find plugin 'Radar' (referenced via Game.uproject). Install it and try again.", line: 1 },
    ],
  },
  {
    id: 'unreal.plugin-load',
    tool: 'Unreal',
    category: 'missing_module_plugin',
    role: 'root',
    need: [
      'failed to load because',
      'instances of that module name found',
      '/Script/',
      'missing module',
      'different engine version',
      'This project requires the',
    ],
    match:
      /(?:Incompatible or missing module: |modules are missing or built with a different engine version|Unable to load module '(?<code>[^']+)'|Plugin '[^']+' failed to load because|Can't find file(?: for asset)? '\/Script\/|Failed to load \/Script\/|This project requires the '[^']+' plugin)(?<msg>.*)/,
    score: 72,
    near: 1,
    fix: 'A plugin or its module is missing from the build machine: submit it with its binaries or sources, or disable it.',
    examples: [
      {
        log: "LogModuleManager: Warning: ModuleManager: Unable to load module 'Radar'  - 0 instances of that module name found.",
        line: 1,
      },
    ],
  },
  {
    id: 'unreal.header-tool',
    tool: 'UnrealHeaderTool',
    category: 'compile_error',
    role: 'root',
    need: ['.h('],
    match:
      /^(?:LogCompile: Error: |\s*)(?<file>[^\s(:][^(:]{0,300}\.h|[A-Za-z]:[^(:]{1,300}\.h)\((?<line>\d+)\) ?: {1,4}(?:LogCompile: )?[eE]rror: {1,4}(?<msg>\S.*)/,
    score: 84,
    near: 2,
    fix: 'Fix the reflection markup in {file} at line {line}: UCLASS, UPROPERTY and UFUNCTION lines are read before the compiler runs.',
    examples: [
      {
        log: "D:/ws/Source/Game/Hero.h(31) : LogCompile: Error: Unrecognized type 'UWeapn' - type must be a UCLASS",
        line: 1,
        file: 'Hero.h',
      },
      {
        log: "D:\\ws\\Source\\Game\\Hero.h(12):  Error:  Unable to find 'class', 'delegate', 'enum', or 'struct' with name 'UFoo'",
        line: 1,
        file: 'Hero.h',
      },
    ],
  },
  {
    id: 'unreal.shader',
    tool: 'Unreal shader compiler',
    category: 'shader_error',
    role: 'root',
    need: ['.usf', '.ush', '.hlsl'],
    match:
      /^(?:Log\w{1,40}: (?:Error|Warning|Display): )?\s{0,20}(?<file>(?:[A-Za-z]:)?[^\s:(][^:(]{0,300}\.(?:usf|ush|hlsl))[(:](?<line>[1-9]\d*)(?:[,:][\d-]+)?\)?:? (?:fatal )?error:? ?(?<code>X\d{4})?:? ?(?<msg>.*)/,
    score: 90,
    block: { more: /^\s{4,}\S/ },
    near: 1,
    fix: 'Fix the shader {file} at line {line}, for every platform it is compiled for.',
    examples: [
      {
        log: 'LogWindows: Error:     /GameShaders/Private/Glow.usf(12,3-9): error X3004: undeclared identifier Tint',
        line: 1,
        file: 'Glow.usf',
      },
    ],
  },
  {
    id: 'unreal.shader-material',
    tool: 'Unreal shader compiler',
    category: 'shader_error',
    role: 'root',
    need: ['Failed to compile Material', 'Failed to compile global shader', 'errors encountered compiling global shaders'],
    match: /Failed to compile Material|Failed to compile global shader|errors encountered compiling global shaders/,
    score: 66,
    block: { more: /^\s{2,}\S|^Log\w+: (?:Warning|Error): {2,}/ },
    examples: [{ log: 'LogMaterial: Error: Failed to compile Material /Game/M_Glow.M_Glow for platform PCD3D_SM6', line: 1 }],
  },
  {
    id: 'unreal.asset',
    tool: 'Unreal cook',
    category: 'cook_asset_error',
    role: 'root',
    need: [': Error: '],
    match:
      /^\s*(?:LogInit: Display: )?Log(?:AssetRegistry|Linker|Package\w*|Cook|UObjectGlobals|SavePackage|Blueprint\w*|Texture|StaticMesh|Animation|Skeletal\w*|Niagara|Level|Audio|Streaming|ContentBundle\w*|PackageName|AssetManager|Property|Class): Error: (?<msg>(?!.*\bfailed\.?$).*)/,
    score: 72,
    near: 0,
    fix: 'Open the asset named in the message in the editor, fix or resave it, and submit it together with everything it refers to.',
    examples: [
      {
        log: 'LogAssetRegistry: Error: Package D:/ws/Content/M_Glow.uasset has newer custom version of Dev-Rendering',
        line: 1,
        file: 'M_Glow.uasset',
      },
      {
        log: 'LogCook: Error: Content is missing from cook. Source package referenced an object in target package but the target package was marked NeverCook',
        line: 1,
      },
    ],
  },
  {
    id: 'unreal.cook-failed',
    tool: 'AutomationTool',
    category: 'cook_asset_error',
    role: 'followup',
    need: ['Cook failed', 'while running Cook', 'Error_UnknownCookFailure', 'Unknown Cook Failure'],
    match: /Cook failed\.|terminated with exit code \d+ while running Cook|Error_UnknownCookFailure|Unknown Cook Failure/,
    score: 70,
    block: { more: /AutomationTool exiting with ExitCode/, max: 2 },
    near: 1,
    fix: 'The cook stopped; its own log holds the reason: look there for the first line with “Error:”.',
    examples: [
      {
        log: 'ERROR: Cook failed.\n       (see D:/ws/Engine/Programs/AutomationTool/Saved/Logs/Log.txt for full exception trace)',
        line: 1,
      },
    ],
  },
  {
    id: 'unreal.fatal',
    tool: 'Unreal',
    category: 'crash',
    role: 'root',
    need: ['Fatal error', 'appError called', 'Assertion failed:', 'Unhandled Exception: EXCEPTION', '=== Critical error'],
    match:
      /(?:appError called: )?(?:Assertion failed: .{1,300}\[File:|Fatal error!? ?\[File:|Unhandled Exception: EXCEPTION_|=== Critical error: ===)(?<msg>.*)/,
    score: 70,
    block: { more: /^Log\w+: Error:(?: |$)|^\[Callstack\]/, max: 30 },
    near: 2,
    fix: 'The editor or commandlet crashed. Read the first frame of the call stack that belongs to your project.',
    examples: [{ log: 'LogWindows: Error: Assertion failed: Index >= 0 [File:D:/ws/Array.h] [Line: 772]', line: 1 }],
  },
  {
    id: 'unreal.uat-error',
    tool: 'AutomationTool',
    category: 'build_script_error',
    role: 'root',
    need: ['AutomationException', 'AutomationTool', 'ERROR: ', 'BuildException', 'CommandletException'],
    match:
      /^\s*(?:ERROR: |Log\.WriteException: )?(?:AutomationTool\.)?(?:AutomationException|BuildException|CommandletException): (?<msg>(?!.*while running Cook).*)/,
    score: 56,
    block: { more: /^\s+at / },
    examples: [{ log: 'ERROR: AutomationException: Missing receipt for Game. Check that this target has been built.', line: 1 }],
  },
  {
    id: 'unreal.package',
    tool: 'AutomationTool',
    category: 'build_script_error',
    role: 'root',
    need: [
      'UnrealPak',
      'Stage Failed',
      'Missing file for staging',
      'Package Failed',
      'Archive failed',
      'Missing precompiled manifest',
    ],
    match:
      /(?:LogPakFile: Error: |ERROR: (?:Stage Failed\.|Package Failed|Archive failed)|Missing file for staging|Missing precompiled manifest for)(?<msg>.*)/,
    score: 70,
    near: 1,
    fix: 'Staging or packaging did not find a file it needs: check the build and cook before it, and what the target lists for staging.',
    examples: [
      {
        log: "ERROR: Stage Failed. Missing receipt 'D:/ws/Binaries/Win64/Game.target'. Check that this target has been built.",
        line: 1,
      },
    ],
  },
  {
    id: 'unreal.wrapper',
    tool: 'AutomationTool',
    category: 'build_system',
    role: 'wrapper',
    need: ['ExitCode=', 'BUILD FAILED', 'UnrealBuildTool', 'was unable to run successfully', 'Unknown Error'],
    match:
      /^(?:AutomationTool exiting with ExitCode=[1-9]|BUILD FAILED$|RunUAT ERROR|ERROR: UnrealBuildTool\S* .{0,80}(?:failed|exited)|UnrealBuildTool Exception)/,
    score: 45,
    examples: [{ log: 'AutomationTool exiting with ExitCode=6 (6)', line: 1 }],
  },
]
