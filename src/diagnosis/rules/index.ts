import type { Rule } from '../rule.ts'
import { distributedBuilds } from './engines/distributed-builds.ts'
import { gameTools } from './engines/game-tools.ts'
import { unity } from './engines/unity.ts'
import { unreal } from './engines/unreal.ts'
import { unrealTools } from './engines/unreal-tools.ts'
import { android } from './languages/android.ts'
import { beam } from './languages/beam.ts'
import { cppTests } from './languages/cpp-tests.ts'
import { dotnet } from './languages/dotnet.ts'
import { functional } from './languages/functional.ts'
import { gcc } from './languages/gcc.ts'
import { go } from './languages/go.ts'
import { java } from './languages/java.ts'
import { javascriptLint } from './languages/javascript-lint.ts'
import { javascriptTests } from './languages/javascript-tests.ts'
import { jvmLanguages } from './languages/jvm-languages.ts'
import { linkers } from './languages/linkers.ts'
import { msvc } from './languages/msvc.ts'
import { node } from './languages/node.ts'
import { php } from './languages/php.ts'
import { python } from './languages/python.ts'
import { ruby } from './languages/ruby.ts'
import { rust } from './languages/rust.ts'
import { apple } from './tools/apple.ts'
import { containers } from './tools/containers.ts'
import { delivery } from './tools/delivery.ts'
import { docs } from './tools/docs.ts'
import { generic } from './tools/generic.ts'
import { linters } from './tools/linters.ts'
import { machine } from './tools/machine.ts'
import { services } from './tools/services.ts'
import { shell } from './tools/shell.ts'
import { sources } from './tools/sources.ts'
import { systemMessages } from './tools/system-messages.ts'

/** All built-in rules, most specific tools first. */
export const RULES: readonly Rule[] = [
  ...unreal,
  ...unrealTools,
  ...unity,
  ...msvc,
  ...distributedBuilds,
  ...gameTools,
  ...gcc,
  ...cppTests,
  ...linkers,
  ...dotnet,
  ...android,
  ...java,
  ...jvmLanguages,
  ...delivery,
  ...apple,
  ...rust,
  ...go,
  ...javascriptTests,
  ...javascriptLint,
  ...node,
  ...python,
  ...ruby,
  ...php,
  ...beam,
  ...functional,
  ...shell,
  ...linters,
  ...docs,
  ...sources,
  ...machine,
  ...systemMessages,
  ...containers,
  ...services,
  ...generic,
]
