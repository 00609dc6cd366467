import { describe, expect, it } from 'vitest'
import { FAILURE_CATEGORIES } from '../../contract/sets.ts'
import { ability, causeOf, fileKind, isAttributable } from './kinds.ts'

describe('the kind of a file', () => {
  it.each([
    ['Source/Hero.cpp', 'code'],
    ['Assets/Scripts/Hero.cs', 'code'],
    ['src/hero.test.ts', 'test'],
    ['HeroTests/Jump.swift', 'test'],
    ['spec/hero_spec.rb', 'test'],
    ['src/test_hero.py', 'test'],
    ['Plugins/Fx/Shaders/Private/Glow.usf', 'shader'],
    ['Content/Maps/Arena.umap', 'content'],
    ['Assets/Props/Barrel.prefab.meta', 'content'],
    ['Config/DefaultEngine.ini', 'content'],
    ['tox.ini', 'script'],
    ['Source/Game/Game.Build.cs', 'manifest'],
    ['Game.uproject', 'manifest'],
    ['Packages/manifest.json', 'manifest'],
    ['app/build.gradle.kts', 'manifest'],
    ['requirements-dev.txt', 'manifest'],
    ['Cargo.lock', 'manifest'],
    ['Jenkinsfile', 'script'],
    ['.github/workflows/build.yml', 'script'],
    ['tools/cook.bat', 'script'],
    ['README.md', 'doc'],
    ['docs/guide/index.html', 'doc'],
    ['CHANGELOG', 'doc'],
  ])('%s is %s', (path, kind) => expect(fileKind(path)).toBe(kind))
})

it('documents do not break a compiler but do break linters', () => {
  expect(ability('doc', 'compile_error')).toBeLessThan(0.2)
  expect(ability('doc', 'lint_or_doc')).toBe(1)
})

it('content breaks the cook more than the compiler', () => {
  expect(ability('content', 'cook_asset_error')).toBeGreaterThan(ability('content', 'compile_error'))
})

it('manifests cause resolution failures, scripts cause build script failures', () => {
  expect(causeOf('dependency_resolution')).toBe('manifest')
  expect(causeOf('build_script_error')).toBe('script')
  expect(causeOf('compile_error')).toBeUndefined()
})

it('twelve categories are never caused by a change', () => {
  expect(FAILURE_CATEGORIES.filter((category) => !isAttributable(category))).toHaveLength(12)
})
