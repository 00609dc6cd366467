import type { Rule } from '../rule.ts'
import { apple } from './apple.ts'
import { beam } from './beam.ts'
import { cppTests } from './cpp-tests.ts'
import { docs } from './docs.ts'
import { dotnet } from './dotnet.ts'
import { functional } from './functional.ts'
import { gameTools } from './game-tools.ts'
import { gcc } from './gcc.ts'
import { generic } from './generic.ts'
import { go } from './go.ts'
import { java } from './java.ts'
import { javascriptLint } from './javascript-lint.ts'
import { javascriptTests } from './javascript-tests.ts'
import { jvmLanguages } from './jvm-languages.ts'
import { linkers } from './linkers.ts'
import { linters } from './linters.ts'
import { machine } from './machine.ts'
import { msvc } from './msvc.ts'
import { node } from './node.ts'
import { php } from './php.ts'
import { python } from './python.ts'
import { ruby } from './ruby.ts'
import { rust } from './rust.ts'
import { services } from './services.ts'
import { shell } from './shell.ts'
import { sources } from './sources.ts'
import { unity } from './unity.ts'
import { unreal } from './unreal.ts'
import { unrealTools } from './unreal-tools.ts'

/** Every rule of ours, most specific tools first. */
export const RULES: readonly Rule[] = [
  ...unreal,
  ...unrealTools,
  ...unity,
  ...msvc,
  ...gameTools,
  ...gcc,
  ...cppTests,
  ...linkers,
  ...dotnet,
  ...java,
  ...jvmLanguages,
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
  ...services,
  ...generic,
]
