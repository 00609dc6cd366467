import { cutPrefixes } from './line-prefixes.ts'
import { type LineReader, type LogContext, type LogMeasure, MeasureList } from './log-measure.ts'
import { otherTools } from './other-tools.ts'
import { unity } from './unity.ts'
import { unreal } from './unreal.ts'

const READERS: readonly LineReader[] = [...unreal, ...unity, ...otherTools]

const TARGET = /-TargetPlatform=([\w-]{1,40})|Building Assets For ([\w-]{1,40})/

/** Longer lines are not summaries. */
const LINE_MAX = 2_000

/** The measures that a log prints. The last line of a kind counts, for each platform and part. */
export function readMeasures(log: string): LogMeasure[] {
  const measures = new MeasureList()
  const context: LogContext = { platform: null, pak: null, group: '', block: '', variant: null }
  for (let start = 0; start < log.length; ) {
    const end = log.indexOf('\n', start)
    const full = log.slice(start, end < 0 ? log.length : end)
    start = end < 0 ? log.length : end + 1
    const { line, platform } = cutPrefixes(full.slice(0, LINE_MAX).trimEnd())
    const target = line.includes('Platform=') || line.includes('Assets For') ? TARGET.exec(line) : null
    context.platform = platform ?? target?.[1] ?? target?.[2] ?? context.platform
    for (const reader of READERS) if (line.includes(reader.literal)) reader.read(line, measures, context)
  }
  return measures.list()
}
