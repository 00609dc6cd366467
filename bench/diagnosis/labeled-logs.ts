import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'

/** A labeled log: the lines of the cause, the file, the category. */
export interface Label {
  file: string
  error_lines?: number[]
  file_path?: string | null
  category?: string | null
  project?: string
  source?: string
}

export interface LabelledLog {
  set: string
  /** The project of the log: a model is never measured on a project it was trained on. */
  project: string
  label: Label
  raw: string
}

export const readLog = (path: string) => {
  const bytes = readFileSync(path)
  return (bytes[0] === 0x1f && bytes[1] === 0x8b ? gunzipSync(bytes) : bytes).toString('utf8')
}

/** The repository if the source names one, otherwise the set: logs of unknown origin may be of one project. */
const projectOf = (set: string, { project, source }: Label) =>
  (project ?? /github\.com\/([\w.-]+\/[\w.-]+)/.exec(source ?? '')?.[1] ?? `set ${set}`).toLowerCase()

/** The logs below a folder: one folder per set, each with a file `labels.jsonl`. */
export function labeledLogs(root: string): LabelledLog[] {
  const logs: LabelledLog[] = []
  for (const set of readdirSync(root)) {
    const labels = join(root, set, 'labels.jsonl')
    if (set === 'attribution' || !existsSync(labels)) continue
    for (const line of readFileSync(labels, 'utf8').split('\n').filter(Boolean)) {
      const label = JSON.parse(line) as Label
      const path = join(root, set, label.file)
      if (existsSync(path)) logs.push({ set, project: projectOf(set, label), label, raw: readLog(path) })
    }
  }
  return logs
}
