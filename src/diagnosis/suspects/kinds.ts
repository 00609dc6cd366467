import type { FailureCategory } from '../../contract/sets.ts'

type FileKind = 'code' | 'test' | 'shader' | 'content' | 'manifest' | 'script' | 'doc'

const NAMES: [FileKind, RegExp][] = [
  [
    'manifest',
    /^(?:package(?:-lock)?\.json|yarn\.lock|pnpm-lock\.yaml|gemfile(?:\.lock)?|pom\.xml|gradle\.properties|requirements[^/]*\.txt|setup\.(?:py|cfg)|pyproject\.toml|pipfile(?:\.lock)?|poetry\.lock|go\.(?:mod|sum)|cargo\.(?:toml|lock)|mix\.(?:exs|lock)|composer\.(?:json|lock)|stack\.yaml|cabal\.project|podfile(?:\.lock)?|cartfile[^/]*|package\.(?:swift|resolved)|manifest\.json|packages-lock\.json|bower\.json|build\.sbt|\.gitmodules|\.swift-version|\.ruby-version|\.nvmrc|\.npmrc)$/,
  ],
  [
    'manifest',
    /\.(?:gradle|kts|gemspec|podspec|cabal|csproj|sln|vcxproj|props|uproject|uplugin|asmdef|nuspec|pbxproj|xcscheme)$/,
  ],
  ['manifest', /\.(?:build|target)\.cs$/],
  [
    'script',
    /^(?:makefile|cakefile|rakefile|jenkinsfile|dockerfile[^/]*|docker-compose[^/]*|cmakelists\.txt|build\.xml|tox\.ini|vagrantfile|\.travis\.yml|appveyor\.yml|\.appveyor\.yml|\.gitlab-ci\.yml|azure-pipelines[^/]*|bitbucket-pipelines\.yml|gulpfile\.js|gruntfile\.js)$/,
  ],
  ['script', /\.(?:sh|bash|bat|cmd|mk|cmake)$|^(?:build|ci|install|deploy|publish|release)\.(?:ps1|py|rb|js)$/],
  ['shader', /\.(?:usf|ush|hlsl|hlsli|glsl|vert|frag|comp|shader|cginc|compute|metal|wgsl|shadergraph)$/],
  [
    'content',
    /\.(?:uasset|umap|prefab|unity|mat|asset|anim|controller|fbx|blend|psd|tga|exr|wav|ogg|mp3|bnk|meta|png|jpe?g|gif|bmp|ttf|otf|ini)$/,
  ],
  ['doc', /\.(?:md|markdown|rst|adoc|txt|textile|rdoc|pod|pdf|svg|1)$/],
  ['doc', /^(?:readme|changelog|changes|history|license|licence|copying|authors|contributors|contributing|notice)(?:\.[a-z]+)?$/],
  ['doc', /^\.(?:gitignore|gitattributes|mailmap|editorconfig)$/],
]

const TEST_NAME = /[_.-](?:tests?|specs?)\.|^tests?[_-]|(?:tests?|spec|testcase)\.[a-z]+$/
const FOLDER: [FileKind, RegExp][] = [
  ['script', /(?:^|\/)(?:\.github\/workflows|\.circleci|\.buildkite|\.teamcity|\.ci|ci)\//],
  ['doc', /(?:^|\/)(?:docs?|documentation|guides?|website)\//],
  ['test', /tests?\/|(?:^|\/)specs?\/|__tests__\//],
]

/** The kind of a changed file, from its path alone. */
export function fileKind(path: string): FileKind {
  const lower = path.toLowerCase().replaceAll('\\', '/')
  const base = lower.slice(lower.lastIndexOf('/') + 1)
  for (const [kind, name] of NAMES) if (name.test(base)) return kind
  for (const [kind, folder] of FOLDER) if (folder.test(lower)) return kind
  return TEST_NAME.test(base) ? 'test' : 'code'
}

/** How likely a kind of file can cause a category of failure; missing ones are fully capable. */
const ABILITY: Partial<Record<FailureCategory, Partial<Record<FileKind, number>>>> = {
  compile_error: { doc: 0.1, content: 0.2, shader: 0.2, script: 0.6, manifest: 0.8 },
  link_error: { doc: 0.1, content: 0.2, shader: 0.2, script: 0.6 },
  shader_error: { doc: 0.1, test: 0.3, script: 0.3, manifest: 0.4, code: 0.6, content: 0.8 },
  cook_asset_error: { doc: 0.1, test: 0.3, script: 0.4, manifest: 0.6, shader: 0.7, code: 0.7 },
  missing_module_plugin: { doc: 0.1, content: 0.3, shader: 0.2, test: 0.5, code: 0.8 },
  test_failure: { doc: 0.1, content: 0.6, shader: 0.5, script: 0.5, manifest: 0.7 },
  lint_or_doc: { content: 0.3 },
  build_script_error: { doc: 0.1, content: 0.3, shader: 0.3, test: 0.5, code: 0.6 },
  build_system: { doc: 0.1, content: 0.3, shader: 0.3, test: 0.5, code: 0.6 },
  dependency_resolution: { doc: 0.1, content: 0.1, shader: 0.1, test: 0.2, code: 0.3, script: 0.6 },
  crash: { doc: 0.1 },
  unknown: { doc: 0.2 },
}

export const ability = (kind: FileKind, category: FailureCategory): number => ABILITY[category]?.[kind] ?? 1

const DOCUMENTATION =
  /\b(?:docs?|documentation|docstrings?|typos?|comments?|readme|changelog|spelling|misspell(?:ed|ing)|grammar|wording|copyright)\b/i

/** Code may be touched only for its documentation. */
export const saysDocumentation = ({ subject }: { subject: string }): boolean => DOCUMENTATION.test(subject)

/** The kind of file that typically causes a category. */
const CAUSES: Partial<Record<FailureCategory, FileKind>> = {
  dependency_resolution: 'manifest',
  missing_module_plugin: 'manifest',
  build_script_error: 'script',
  build_system: 'script',
}

export const causeOf = (category: FailureCategory): FileKind | undefined => CAUSES[category]

const PLACES: ReadonlySet<FailureCategory> = new Set([
  'compile_error',
  'link_error',
  'shader_error',
  'cook_asset_error',
  'missing_module_plugin',
  'lint_or_doc',
  'dependency_resolution',
  'build_script_error',
  'build_system',
])

/** Failures whose message contains the exact location. */
export const pointsAtPlaces = (category: FailureCategory): boolean => PLACES.has(category)

/** Failures that no change causes: nobody is named for them. */
const NOBODYS_FAULT: ReadonlySet<FailureCategory> = new Set([
  'network',
  'timeout',
  'out_of_memory',
  'out_of_disk',
  'workspace_lock',
  'scm_sync',
  'license_seat',
  'signing',
  'delivery',
  'infra_agent',
  'infrastructure',
  'none',
])

export const isAttributable = (category: FailureCategory): boolean => !NOBODYS_FAULT.has(category)
