/** The platforms and configurations that the command lines in a log name, as they are written there. */
export interface LogTarget {
  platforms: string[]
  configurations: string[]
}

// Options of Unreal's automation tool and cook, and of Unity's editor. `A+B` builds several platforms.
const PLATFORM = /(?:^|[\s"'])-(?:(?:client|server)?(?:target)?platform=|buildtarget[ =])["']?(?<value>[A-Za-z][\w+-]{0,60})/gi
const CONFIGURATION = /(?:^|[\s"'])-(?:client|server)?config(?:uration)?=["']?(?<value>[A-Za-z][\w+-]{0,60})/gi
const BUILD_TOOL =
  /UnrealBuildTool(?:\.exe|\.dll)?["']?\s+(?<target>\w{1,80})\s+(?<platform>\w{1,40})\s+(?<configuration>Debug|DebugGame|Development|Test|Shipping)\b/g
/** Tools that a build of the game compiles for the machine it runs on. */
const OWN_TOOLS = /Editor$|^(?:ShaderCompileWorker|UnrealPak|UnrealLightmass|CrashReportClient|BootstrapPackagedGame)$/

/** Longer lines are cut: command lines are shorter. */
const LINE_MAX = 8_000

/** What UnrealBuildTool compiles counts only without options that say what is built: it also compiles the editor that cooks. */
export function readTarget(log: string): LogTarget {
  const named = { platforms: new Set<string>(), configurations: new Set<string>() }
  const compiled = { platforms: new Set<string>(), configurations: new Set<string>() }
  for (let start = 0; start < log.length; ) {
    const end = log.indexOf('\n', start)
    const stop = end < 0 ? log.length : end
    const line = log.slice(start, Math.min(stop, start + LINE_MAX))
    start = stop + 1
    if (line.includes('-')) {
      for (const { groups } of line.matchAll(PLATFORM)) for (const one of groups!.value!.split('+')) named.platforms.add(one)
      for (const { groups } of line.matchAll(CONFIGURATION))
        for (const one of groups!.value!.split('+')) named.configurations.add(one)
    }
    if (!line.includes('UnrealBuildTool')) continue
    for (const { groups } of line.matchAll(BUILD_TOOL)) {
      if (OWN_TOOLS.test(groups!.target!)) continue
      compiled.platforms.add(groups!.platform!)
      compiled.configurations.add(groups!.configuration!)
    }
  }
  return {
    platforms: [...(named.platforms.size > 0 ? named : compiled).platforms],
    configurations: [...(named.configurations.size > 0 ? named : compiled).configurations],
  }
}
