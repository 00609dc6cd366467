import type { Rule } from '../../rule.ts'

/** Game tools besides the two big engines: standalone shaders, Godot, FBX and texture tools, consoles. */
export const gameTools: readonly Rule[] = [
  {
    id: 'shader.glsl',
    tool: 'shader compiler',
    category: 'shader_error',
    role: 'root',
    need: ['.glsl', '.frag', '.vert', '.comp', '.metal', '.shader', '.cginc', '.compute', '.fx', 'ERROR: 0:', '.spv', '.geom'],
    match:
      /^(?:.{0,80}(?:ERROR|error|Error): )?(?<file>(?:[A-Za-z]:)?[^\s:(][^:(]{0,300}\.(?:glsl|frag|vert|comp|geom|metal|shader|cginc|compute|fxh?|spv|hlsli?))[(:](?<line>\d+)(?:[,:][\d-]+)?\)?: ?(?:fatal )?(?:error|ERROR)?:? ?(?<code>X\d{4})?:? ?(?<msg>.*(?:rror|undeclared|undefined|syntax|expected|cannot|mismatch|redefinition).*)|^ERROR: 0:(?<at>\d+): (?<glsl>.*)/,
    score: 86,
    block: { more: /^\s+\S|^ERROR: 0:\d+|^ERROR: \d+ compilation/, max: 10 },
    near: 0,
    fix: 'Fix the shader at the line shown.',
    examples: [
      { log: "ERROR: shaders/glow.frag:12: 'tint' : undeclared identifier", line: 1, file: 'glow.frag' },
      { log: "ERROR: 0:12: 'tint' : undeclared identifier", line: 1 },
    ],
  },
  {
    id: 'godot.script',
    tool: 'Godot',
    category: 'compile_error',
    role: 'root',
    need: ['SCRIPT ERROR:', 'Parse Error:'],
    match: /^(?:SCRIPT ERROR: )?(?:Parse|Compile) Error: (?<msg>.*)|^SCRIPT ERROR: (?<script>.*)/,
    score: 82,
    block: { more: /^\s+at: |^ERROR: Failed to load script/, max: 4 },
    near: 0,
    fix: 'Fix {file} at line {line}.',
    examples: [
      {
        log: 'SCRIPT ERROR: Parse Error: Identifier "hits" not declared in the current scope.\n          at: GDScript::reload (res://hero.gd:12)',
        line: 1,
      },
    ],
  },
  {
    id: 'godot.export',
    tool: 'Godot',
    category: 'build_script_error',
    role: 'root',
    need: [
      'export template',
      'Cannot export project',
      'export preset',
      'Project export for preset',
      'Failed to export project',
      'No export presets',
    ],
    match:
      /^(?:ERROR: )?(?:Cannot export project with preset|No export templates? found|Invalid export preset|Project export for preset .{1,80} failed|Failed to export project|No export presets? found|.{0,120}export_presets\.cfg.{0,80}(?:not found|missing))(?<msg>.*)/,
    score: 80,
    block: { more: /^\s+at: |^\S.*template/, max: 4 },
    fix: 'Install the export templates of this very version of Godot on the build machine, and commit export_presets.cfg with the preset.',
    examples: [
      {
        log: 'ERROR: Cannot export project with preset "Windows Desktop" due to configuration errors:\nNo export template found at the expected path:',
        line: 1,
      },
    ],
  },
  {
    id: 'godot.resource',
    tool: 'Godot',
    category: 'cook_asset_error',
    role: 'root',
    need: ['Failed loading resource', 'res://'],
    match:
      /^(?:ERROR: )?(?:Failed loading resource|Error importing|Cannot open file '?res:|Resource file not found): ?'?(?<file>res:\/\/[^\s']{1,250})?(?<msg>.*)/,
    score: 70,
    block: { more: /^\s+at: /, max: 2 },
    near: 1,
    examples: [{ log: 'ERROR: Failed loading resource: res://hero.tscn. Make sure resources have been imported.', line: 1 }],
  },
  {
    id: 'compiler.paren-error',
    tool: 'compiler',
    category: 'compile_error',
    role: 'root',
    need: [') Error', ') Fatal', ') error'],
    match: /^(?<file>(?:[A-Za-z]:)?[^\s(:][^(:]{0,250}\.\w{1,6})\((?<line>\d+), ?\d+\) (?:Error|Fatal|error)\b:? ?(?<msg>.*)/,
    score: 78,
    near: 0,
    examples: [{ log: "src/hero.nim(12, 3) Error: undeclared identifier: 'hits'", line: 1, file: 'hero.nim' }],
  },
  {
    id: 'bazel.error',
    tool: 'Bazel',
    category: 'build_system',
    role: 'root',
    need: ['ERROR: '],
    match:
      /^ERROR: (?<file>\S*(?:BUILD(?:\.bazel)?|WORKSPACE|\.bzl|MODULE\.bazel)):(?<line>\d+):\d+: (?<msg>.*)|^ERROR: (?:no such (?:package|target)|Analysis of target|error loading package|Skipping) (?<rest>.*)/,
    score: 62,
    block: { more: /^\s+\S|^FAILED: /, max: 6 },
    examples: [{ log: "ERROR: /ws/game/BUILD:12:1: no such package '@net//': not found", line: 1, file: 'BUILD' }],
  },
  {
    id: 'bazel.test',
    tool: 'Bazel',
    category: 'test_failure',
    role: 'root',
    need: ['FAIL: //', ' FAILED in '],
    match: /^FAIL: (?<test>\/\/\S+)|^(?<target>\/\/\S+) +FAILED in /,
    score: 66,
    near: 1,
    examples: [{ log: '//game:hero_test                                   FAILED in 3.2s', line: 1 }],
  },
]
