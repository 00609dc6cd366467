import { expect, it } from 'vitest'
import { inWorkspace } from './workspace.ts'

it.each([
  ['/home/runner/work/harbour/harbour/src/dock.rs', 'src/dock.rs'],
  ['D:\\a\\harbour\\harbour\\src\\dock.rs', 'src\\dock.rs'],
  ['/Users/ci/actions/_work/harbour/harbour/src/dock.rs', 'src/dock.rs'],
  ['/home/vsts/work/1/s/src/dock.rs', 'src/dock.rs'],
  ['/builds/studio/harbour/src/dock.rs', 'src/dock.rs'],
  ['/var/lib/jenkins/workspace/harbour@2/src/dock.rs', 'src/dock.rs'],
  ['/opt/buildAgent/work/3f2a9c0d11e8b7aa/src/dock.rs', 'src/dock.rs'],
  ['C:\\ci\\Harbour\\Source\\Game\\Dock.cpp', 'Source\\Game\\Dock.cpp'],
  ['C:/UE/Engine/Source/Runtime/Dock.cpp', 'Engine/Source/Runtime/Dock.cpp'],
  ['/Users/ann/Harbour/Assets/Scripts/Dock.cs', 'Assets/Scripts/Dock.cs'],
  ['C:/Users/ann/Harbour/app/src/main/java/Dock.kt', 'app/src/main/java/Dock.kt'],
  ['C:\\Users\\ann\\Harbour\\app\\build.gradle.kts', 'app\\build.gradle.kts'],
  ['/usr/include/stdio.h', '/usr/include/stdio.h'],
  ['src/Source/dock.rs', 'src/Source/dock.rs'],
])('%s is shown as %s', (path, shown) => {
  expect(inWorkspace(path)).toBe(shown)
})
