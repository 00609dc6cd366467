import { describe, expect, it } from 'vitest'
import { diagnose } from '../diagnose.ts'

describe('advice', () => {
  it.each([
    [
      "C:\\ci\\Game\\Source\\Dock.cpp(3): fatal error C1083: Cannot open include file: 'Tide.h': No such file or directory",
      'Tide.h',
    ],
    ["ERROR: Could not find definition for module 'HarbourAI', (referenced via Target -> Game.Build.cs)", 'HarbourAI'],
    ['/usr/bin/ld: cannot find -ltide\ncollect2: error: ld returned 1 exit status', 'tide'],
    [
      'Traceback (most recent call last):\n  File "build.py", line 3, in <module>\nModuleNotFoundError: No module named \'tide\'',
      'tide',
    ],
  ])('names what is missing: %s', (log, name) => {
    expect(diagnose(log).suggested_fix).toMatch(new RegExp(`^${name} is missing\\.`))
  })

  it('is omitted if the category is only a guess', () => {
    const { confidence, category, suggested_fix } = diagnose(
      '$ npm test\nthe tide went out\nThe command "npm test" exited with 1.',
    )
    expect({ confidence, category }).toEqual({ confidence: 'low', category: 'unknown' })
    expect(suggested_fix).not.toContain('test')
  })
})

describe('the text', () => {
  it('omits the project that MSBuild appends', () => {
    const { diagnosis } = diagnose("Dock.cpp(12,4): error C2065: 'Tide': undeclared identifier [C:\\ci\\Game\\Dock.vcxproj]")
    expect(diagnosis).toContain("Dock.cpp:12: 'Tide': undeclared identifier")
    expect(diagnosis).not.toContain('vcxproj')
  })

  it('does not use another test as the reason', () => {
    const { diagnosis } = diagnose('FAILED tests/test_a.py::test_a - KeyError: 1\nFAILED tests/test_b.py::test_b - KeyError: 2')
    expect(diagnosis).not.toContain('test_b')
  })
  it('has the reason that pytest marks, and no file of a dependency', () => {
    const frames = Array.from({ length: 9 }, (_, i) => `/usr/lib/python3.12/contextlib.py:${i}: `).join('\n\n')
    const log = `=== FAILURES ===\n____ test_tide ____\n\n${frames}\n\nE   ModuleNotFoundError: No module named 'tide'\n\ntests/test_tide.py:3: ModuleNotFoundError\n`
    expect(diagnose(log)).toMatchObject({
      file_path: 'tests/test_tide.py',
      diagnosis: expect.stringContaining("No module named 'tide'"),
      suggested_fix: expect.stringMatching(/^tide is missing/),
    })
  })
})
