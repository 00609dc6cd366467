import type { Rule } from '../../rule.ts'

/** The steps after the Kotlin and Java compilers up to a package: annotation processors, shrinkers, native libraries, dex. */
export const android: readonly Rule[] = [
  {
    id: 'android.ksp',
    tool: 'KSP',
    category: 'compile_error',
    role: 'root',
    need: ['e: [ksp]', 'error: [ksp]', 'e: error: ', '[kapt]'],
    match:
      /^\s*(?:e: (?:error: )?\[ksp\] |error: \[ksp\] |e: \[kapt\] )(?:(?<file>(?:[A-Za-z]:)?[^\s:][^:]{0,300}\.(?:kts?|java)):(?<line>\d+): )?(?<msg>.*)/,
    score: 84,
    near: 1,
    fix: 'The annotation processor refuses the code: fix what the message names, or make its version fit the Kotlin version.',
    examples: [
      {
        log: 'e: [ksp] /ws/app/src/main/java/Hero.kt:12: Cannot figure out how to save this field into database.',
        line: 1,
        file: 'Hero.kt',
      },
      { log: 'e: [ksp] InjectProcessingStep was unable to process the class Hero', line: 1 },
    ],
  },
  {
    id: 'android.shrink',
    tool: 'R8',
    category: 'build_system',
    role: 'root',
    need: ['Missing class', 'Missing classes detected', 'R8: ', 'com.android.tools.r8'],
    match:
      /^(?:ERROR: |> )?(?:R8: )?(?<msg>Missing classes detected while running R8.*|Missing class [\w.$]{3,200} \(referenced from: .*)|^ERROR: R8: (?<other>.*)/,
    score: 82,
    block: { more: /^(?:ERROR: )?(?:R8: )?Missing class|^\s+\S/, max: 20 },
    near: 1,
    fix: 'Add the library that holds the class, or a -dontwarn line for it to the rules of the shrinker; missing_rules.txt in the build folder proposes some.',
    examples: [
      { log: 'ERROR: R8: Missing class com.acme.net.Socket (referenced from: void com.acme.Hero.send())', line: 1 },
      {
        log: 'ERROR: Missing classes detected while running R8. Please add the missing classes or apply additional keep rules that are generated in /ws/missing_rules.txt.\nERROR: R8: Missing class com.acme.Hero (referenced from: com.acme.Main)',
        line: 1,
      },
    ],
  },
  {
    id: 'android.dex',
    tool: 'D8',
    category: 'build_system',
    role: 'root',
    need: ['Cannot fit requested classes', 'Duplicate class ', 'is defined multiple times', 'Invoke-customs are only supported'],
    match:
      /^\s{0,20}>? ?(?:Error: |ERROR: )?(?<msg>Cannot fit requested classes in a single dex file.*|Duplicate class [\w.$]{3,200} found in modules .*|Type [\w.$]{3,200} is defined multiple times.*|Invoke-customs are only supported.*)/,
    score: 82,
    near: 1,
    fix: 'Two libraries bring the same class, or there are too many: exclude one of them from the dependencies, or turn multidex on.',
    examples: [
      {
        log: '> Duplicate class com.acme.Hero found in modules hero-1.0.jar (com.acme:hero:1.0) and all-2.0.jar (com.acme:all:2.0)',
        line: 1,
      },
    ],
  },
  {
    id: 'android.manifest',
    tool: 'manifest merger',
    category: 'build_system',
    role: 'root',
    need: ['Manifest merger failed', 'AndroidManifest.xml:'],
    match:
      /^\s{0,20}>? ?(?:(?<file>(?:[A-Za-z]:)?[^\s:][^:]{0,300}AndroidManifest\.xml):(?<line>\d+)(?::\d+)?(?:-\d+)? Error:?|(?<msg>Manifest merger failed : .*))/,
    score: 80,
    block: { more: /^\s+\S/, max: 8 },
    near: 1,
    fix: 'Make the manifests agree: remove one of the values, or say with tools:replace which one counts.',
    examples: [
      {
        log: '/ws/app/src/main/AndroidManifest.xml:12:5-40 Error:\n\tAttribute application@label value=(Hero) is also present at [com.acme:net:1.0]',
        line: 1,
        file: 'AndroidManifest.xml',
      },
      { log: 'Manifest merger failed : uses-sdk:minSdkVersion 16 cannot be smaller than version 21', line: 1 },
    ],
  },
  {
    id: 'android.ndk',
    tool: 'NDK',
    category: 'build_system',
    role: 'root',
    need: ['[CXX', 'NDK ', 'ndk.dir', 'ndk-build', 'No toolchains found'],
    match:
      /^\s{0,20}>? ?(?<msg>\[CXX\d{4}\] .*|NDK (?:at .{1,300} did not have a source\.properties|not configured|is not installed).*|No version of NDK matched .*|No toolchains found in the NDK .*|Android NDK: .{0,200}(?:not found|Aborting).*)/,
    score: 80,
    fix: 'Install the NDK version that the project asks for on the build machine, or name one it has (ndkVersion).',
    examples: [
      { log: '[CXX1101] NDK at /opt/sdk/ndk/26.1 did not have a source.properties file', line: 1 },
      { log: 'No version of NDK matched the requested version 21.4.7075529', line: 1 },
    ],
  },
  {
    id: 'android.jni',
    tool: 'JNI',
    category: 'crash',
    role: 'root',
    need: ['UnsatisfiedLinkError', 'JNI DETECTED ERROR', 'JNI FatalError'],
    match: /(?<msg>java\.lang\.UnsatisfiedLinkError: .*|JNI DETECTED ERROR IN APPLICATION: .*|JNI FatalError called: .*)/,
    score: 78,
    block: { more: /^\s+at /, max: 20 },
    fix: 'The native library is missing for this processor or lacks the function: check the packaged .so files and the names of its exports.',
    examples: [
      {
        log: 'java.lang.UnsatisfiedLinkError: dlopen failed: library "libhero.so" not found\n\tat java.lang.Runtime.loadLibrary0(Runtime.java:12)',
        line: 1,
      },
    ],
  },
  {
    id: 'gradle.stale',
    tool: 'Gradle',
    category: 'build_script_error',
    role: 'root',
    need: ['NoSuchFileException', 'FileNotFoundException'],
    match:
      /^\s{0,20}> java\.(?:nio\.file\.NoSuchFileException|io\.FileNotFoundException): (?<msg>.{1,300}[\\/](?:intermediates|generated|\.gradle)[\\/].*)/,
    score: 70,
    fix: 'A file that the build itself makes is gone: clean the build folder and build again, and let no two builds share it.',
    examples: [{ log: '> java.nio.file.NoSuchFileException: /ws/app/build/intermediates/res/hero.json', line: 1 }],
  },
  {
    id: 'android.sdk',
    tool: 'Android SDK',
    category: 'infra_agent',
    role: 'root',
    need: [
      'SDK location not found',
      'licences have not been accepted',
      'licenses have not been accepted',
      'Failed to find target with hash',
      'Failed to install the following',
    ],
    match:
      /^\s{0,20}>? ?(?<msg>SDK location not found\..*|Failed to install the following (?:Android )?SDK packages.*|.{0,200}licen[cs]es have not been accepted.*|Failed to find target with hash string .*)/,
    score: 82,
    block: { more: /^\s+\S/, max: 6 },
    fix: 'Install the SDK packages on the build machine and accept their licences (sdkmanager --licenses).',
    examples: [
      { log: 'SDK location not found. Define a valid SDK location with an ANDROID_HOME environment variable.', line: 1 },
    ],
  },
]
