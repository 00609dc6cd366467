import type { Stream } from '../../facts.ts'
import { at, type Json, text } from '../../reading.ts'

/** One object per line; server messages have `data` instead. */
export const records = (output: string): Json[] =>
  output.split('\n').flatMap((line) => {
    try {
      const record = JSON.parse(line) as unknown
      return typeof record === 'object' && record !== null ? [record as Json] : []
    } catch {
      return []
    }
  })

/** Parses `p4 -Mj -ztag streams`: a virtual stream shows the files of its parent. */
export const parseStreams = (output: string): Stream[] =>
  records(output).flatMap((record) => {
    const [path, type] = [text(record.Stream), text(record.Type)]
    if (path === undefined || !path.startsWith('//')) return []
    const parent = text(record.baseParent) ?? text(record.Parent)
    return [{ path, ...(type === 'virtual' && parent?.startsWith('//') && { parent }) }]
  })

/** `import Engine/... //ue5/release/Engine/...@1234`, names with spaces in quotes; `import+` is writable too. */
const IMPORT = /^import\+?\s+(?:"[^"]*"|\S+)\s+"?(\/\/[^"@]+)/

/** The paths that a stream imports from others, as printed by `p4 -Mj -ztag stream -o`. */
export function parseImports(output: string): string[] {
  const record = records(output).find((one) => one.Stream !== undefined)
  if (!record) return []
  const imports: string[] = []
  for (let index = 0; ; index++) {
    const line = text(at(record, `Paths${index}`))
    if (line === undefined) return imports
    const path = IMPORT.exec(line)?.[1]?.trim()
    if (path) imports.push(path)
  }
}
