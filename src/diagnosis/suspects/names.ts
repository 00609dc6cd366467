/** Spelling differs between a log and a repository (`RenderErrorsTest`, `render_errors_test.exs`): the common form. */
export const canonical = (name: string): string => {
  const lower = name.toLowerCase()
  return lower.includes('_') || lower.includes('-') ? lower.replace(/[_-]/g, '') : lower
}

export const segmentsOf = (path: string): string[] =>
  path.split(/[/\\]/).filter((segment) => segment !== '' && segment !== '.' && segment !== '..')

const INNER_EXTENSION = /\.(?:generated|gen|build|target|test|tests|spec|unit|d|min|cs|uasset|umap|prefab|unity|asset|mat|png)$/i

/** The name without its extensions: `Hero.generated.h`, `Hero.Build.cs`, `Hero.prefab.meta` and `Hero.cpp` are all `Hero`. */
export function bareName(base: string): string {
  const dot = base.lastIndexOf('.')
  let name = dot > 0 ? base.slice(0, dot) : base
  while (INNER_EXTENSION.test(name)) name = name.slice(0, name.lastIndexOf('.'))
  return name
}

const TEST_PREFIX = /^(?:tests?|spec)[_.-]|^Test(?=[A-Z])/
const TEST_SUFFIX = /[_.-](?:unit)?(?:tests?|specs?)$|(?<=[a-z0-9])(?:UnitTests?|Tests?|TestCase|Specs?)$/

/** The common stem of a test and its code: `FooTest`, `foo_spec`, `test_foo` and `foo` give `foo`. */
export const stemOf = (bare: string): string => canonical(bare.replace(TEST_PREFIX, '').replace(TEST_SUFFIX, ''))

/** Every canonical spelling of a file with this stem, so that a file needs one lookup and no pattern. */
export const spellingsOf = (stem: string): string[] => [
  stem,
  ...['test', 'tests', 'spec', 'specs', 'testcase', 'unittest', 'unittests'].map((suffix) => stem + suffix),
  `test${stem}`,
  `tests${stem}`,
]
