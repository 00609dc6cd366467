/** Recognizes whether changes touch the files of a test, by file names without folders and extensions. */

/** The name of a file or class without what marks it as a test: `NavTest.cpp` and `Nav.cpp` belong together. */
const stemOf = (name: string) => {
  const stem = name.toLowerCase().replace(/\..*$/, '')
  return stem.replace(/^tests?_?(?=.)|(?<=.)_?(?:tests?|specs?)$/g, '') || stem
}

const baseName = (path: string) => path.slice(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1)
const lastWord = (name: string) => name.split(/[^\w-]+/).findLast((word) => word !== '') ?? ''

interface Named {
  suite: string
  class: string
  name: string
  /** Files that its failures name. */
  files: readonly string[]
}

/** The stems of the files that belong to a test: those its failures name, and those called like it, its class or its suite. */
export const stemsOfCase = ({ files, ...names }: Named): ReadonlySet<string> =>
  new Set([
    ...files.map((file) => stemOf(baseName(file))),
    ...[names.suite, names.class, names.name].map((name) => stemOf(lastWord(name))).filter((stem) => stem !== ''),
  ])

export interface ChangedFiles {
  position: number
  /** Null if unknown, or if there are too many to read: then the change may touch any file. */
  stems: ReadonlySet<string> | null
}

export const stemsOfChange = (paths: readonly string[]): ReadonlySet<string> =>
  new Set(paths.map((path) => stemOf(baseName(path))))

export const touches = ({ stems }: ChangedFiles, ofCase: ReadonlySet<string>): boolean =>
  stems === null || [...ofCase].some((stem) => stems.has(stem))
