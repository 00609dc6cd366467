import { expect, test } from 'vitest'
import { readTarget } from './read-target.ts'

test('the options of the automation tool name platform and configuration', () => {
  const log = [
    'Parsing command line: BuildCookRun -project=Game.uproject -targetplatform=PS5 -clientconfig=Shipping -cook -stage',
    'Running: C:\\UE\\Engine\\Binaries\\DotNET\\UnrealBuildTool.exe GameEditor Win64 Development -Project=Game.uproject',
    'Running: C:\\UE\\Engine\\Binaries\\DotNET\\UnrealBuildTool.exe Game PS5 Shipping -Project=Game.uproject',
  ]
  expect(readTarget(log.join('\n'))).toEqual({ platforms: ['PS5'], configurations: ['Shipping'] })
})

test('without options the target of UnrealBuildTool counts, the editor and its tools do not', () => {
  const log = [
    'Running UnrealBuildTool: dotnet "..\\UnrealBuildTool.dll" ShaderCompileWorker Win64 Development -Project=a',
    'Running UnrealBuildTool: dotnet "..\\UnrealBuildTool.dll" ShooterServer Linux Test -Project=a',
  ]
  expect(readTarget(log.join('\n'))).toEqual({ platforms: ['Linux'], configurations: ['Test'] })
})

test('the build target of Unity is the platform, and options of other tools are not', () => {
  expect(readTarget('Unity -batchmode -buildTarget StandaloneOSX -quit')).toEqual({
    platforms: ['StandaloneOSX'],
    configurations: [],
  })
  expect(readTarget('docker run --platform=linux/amd64 image')).toEqual({ platforms: [], configurations: [] })
})

test('several platforms are all named', () => {
  expect(readTarget('-platform=Win64+PS5')).toEqual({ platforms: ['Win64', 'PS5'], configurations: [] })
})

test('a hostile line takes no longer than its length', () => {
  const started = process.cpuUsage().user
  readTarget(`${'UnrealBuildTool a b '.repeat(50_000)}\n${'-platform='.repeat(50_000)}\n${'- '.repeat(500_000)}`)
  expect(process.cpuUsage().user - started).toBeLessThan(2_000_000)
})
