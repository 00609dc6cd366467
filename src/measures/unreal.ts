import type { LineReader, LogContext, MeasureList } from './log-measure.ts'

const NUMBER = String.raw`\d+(?:\.\d+)?`

/** The name of a pak file at the end of a path, without its extension. */
const PAK = /([^\\/]{1,120})\.pak\.?\s*$/

/** One line of a pattern, the same for all platforms of the log unless the line says which. */
const line = (
  literal: string,
  pattern: RegExp,
  put: (groups: Record<string, string>, measures: MeasureList, context: LogContext) => void,
): LineReader => ({
  literal,
  read(text, measures, context) {
    const found = pattern.exec(text)
    if (found) put(found.groups ?? {}, measures, context)
  },
})

const seconds = (literal: string, name: string, pattern: RegExp) =>
  line(literal, pattern, ({ seconds }, measures, { platform }) => measures.set(name, 's', Number(seconds), { platform }))

const COOK: LineReader[] = [
  line(
    'Cook by the book total time',
    new RegExp(`Cook by the book total time(?: in tick (?<tick>${NUMBER})s total time)? (?<total>${NUMBER})`),
    ({ tick, total }, measures, { platform }) => {
      measures.set('cook_seconds', 's', Number(total), { platform })
      if (tick !== undefined) measures.set('cook_tick_seconds', 's', Number(tick), { platform })
    },
  ),
  line(
    'Peak Used virtual',
    /Peak Used virtual (?<virtual>\d+)(?: MiB)? Peak Used phy?sical (?<physical>\d+)/,
    ({ virtual, physical }, measures, { platform }) => {
      measures.set('cook_peak_virtual', 'MiB', Number(virtual), { platform })
      measures.set('cook_peak_physical', 'MiB', Number(physical), { platform })
    },
  ),
  line(
    'Packages Cooked:',
    /Packages Cooked: (?<cooked>\d+),.{0,200}Total Packages: (?<total>\d+)/,
    ({ cooked, total }, measures, { platform }) => {
      measures.set('packages_cooked', 'count', Number(cooked), { platform })
      measures.set('packages_total', 'count', Number(total), { platform })
    },
  ),
  seconds('CookWallTimeSec=', 'cook_wall_seconds', new RegExp(`CookWallTimeSec=(?<seconds>${NUMBER})`)),
  seconds('Execution of commandlet took', 'commandlet_seconds', new RegExp(`took:\\s+(?<seconds>${NUMBER}) seconds`)),
  line(
    'error(s),',
    /(?:Success|Failure) - (?<errors>\d+) error\(s\), (?<warnings>\d+) warning\(s\)/,
    // One line for each commandlet of the build.
    ({ errors, warnings }, measures) => {
      measures.add('log_errors', 'count', Number(errors))
      measures.add('log_warnings', 'count', Number(warnings))
    },
  ),
  seconds('Total Editor Startup Time', 'editor_startup_seconds', new RegExp(`Startup Time, took (?<seconds>${NUMBER})`)),
]

/** The statistics of a cook: a heading, then `key=value` lines. */
const STATISTIC =
  /^Log(?:CookCommandlet|CookStats): Display:\s*(?:\d+\.\s*)*(?<key>[^=]{1,80}?)\s*(?:=\s*(?<value>\S{1,40}))?\s*$/

const RESOURCES = [
  ['ddc_built', 'count'],
  ['ddc_processed', 'MB'],
] as const
/** The columns of `DDC Resource Stats` after the kind of asset: seconds, seconds of the game thread, assets built, MB processed. */
const RESOURCE = new RegExp(
  `^Log\\w+: Display: (?<kind>\\S.{0,79}?) +${NUMBER} +${NUMBER} +(?<ddc_built>\\d+) +(?<ddc_processed>${NUMBER})$`,
)

function readResource(text: string, measures: MeasureList, { platform }: LogContext) {
  // A second cook of the log starts anew.
  if (text.includes('MB Processed')) for (const [name, unit] of RESOURCES) measures.set(name, unit, 0, { platform })
  const { kind, ...numbers } = RESOURCE.exec(text)?.groups ?? {}
  if (kind === undefined) return
  for (const [name, unit] of RESOURCES) {
    measures.add(name, unit, Number(numbers[name]), { platform })
    measures.set(name, unit, Number(numbers[name]), { platform, part: kind })
  }
}

function readStatistic(text: string, measures: MeasureList, context: LogContext) {
  readResource(text, measures, context)
  const { key, value } = STATISTIC.exec(text)?.groups ?? {}
  if (key === undefined) return
  if (value === undefined) {
    if (/\w/.test(key)) context.group = key
    return
  }
  const { group, platform } = context
  const number = /^\d/.test(value) ? Number(value) : Number.NaN
  if (key === 'ShadersCompiled' && group.endsWith('.Misc')) measures.add('shaders_compiled', 'count', number, { platform })
  if (key === 'AsyncCompileTimeSec') measures.set('shader_compile_seconds', 's', number, { platform })
  if (key === 'MBWritten' && group.startsWith('Package')) measures.set('cooked_size', 'MB', number, { platform })
  if (key === 'TotalGets') measures.set('ddc_gets', 'count', number, { platform })
  if (key === 'TotalGetHitPct') measures.set('ddc_hit_rate', 'ratio', number, { platform })
  if (key === 'SharedGetHitPct') measures.set('ddc_shared_hit_rate', 'ratio', number, { platform })
}

const SHADERS: LineReader[] = [
  line(
    'LogShaderCompilers: Display: Shaders Compiled:',
    /Shaders Compiled: (?<count>\d+)/,
    // The total of the compiler itself is more exact than the sum of groups, which comes later.
    ({ count }, measures, { platform }) => measures.set('shaders_compiled', 'count', Number(count), { platform }),
  ),
  line(
    'Total job queries',
    /Total job queries (?<queries>[\d,]+), among them cache hits (?<hits>[\d,]+)/,
    ({ queries, hits }, measures, { platform }) => {
      const [all, found] = [queries!, hits!].map((text) => Number(text.replaceAll(',', ''))) as [number, number]
      if (all > 0) measures.set('shader_job_cache_hit_rate', 'ratio', found / all, { platform })
    },
  ),
]

const PAKS: LineReader[] = [
  {
    literal: '.pak',
    read(text, _, context) {
      if (/LogPakFile: Display: (?:Creating pak|Created pak file:) /.test(text)) context.pak = PAK.exec(text)?.[1] ?? null
    },
  },
  line(
    'bytes total',
    /Added (?<files>\d+) files, (?<bytes>\d+) bytes total/,
    ({ files, bytes }, measures, { platform, pak: part }) => {
      measures.set('pak_bytes', 'bytes', Number(bytes), { platform, part })
      measures.set('pak_files', 'count', Number(files), { platform, part })
    },
  ),
  line('Compression summary:', /Original Size (?<bytes>\d+) bytes/, ({ bytes }, measures, { platform, pak: part }) =>
    measures.set('pak_uncompressed_bytes', 'bytes', Number(bytes), { platform, part }),
  ),
  seconds('ak executed in', 'unrealpak_seconds', new RegExp(`Unreal ?[Pp]ak executed in (?<seconds>${NUMBER}) seconds`)),
]

/** Name, flags, TOC size, TOC entries, size, compressed size. The total has no flags. */
const CONTAINER = new RegExp(
  `^LogIoStore: Display: (?<name>\\S{1,120})(?: +\\S/\\S/\\S/\\S)? +${NUMBER} +\\d+ +(?<size>${NUMBER}) +(?<compressed>${NUMBER}|-)`,
)

function readContainer(text: string, measures: MeasureList, context: LogContext) {
  if (text.includes('TOC Size (KB)')) {
    context.block = 'containers'
    return
  }
  if (context.block !== 'containers') return
  const { name, size, compressed } = CONTAINER.exec(text)?.groups ?? {}
  if (name === undefined) {
    // A line of dashes follows the heading.
    if (!text.includes('---')) context.block = ''
    return
  }
  const where = { platform: context.platform, part: name }
  measures.set('iostore_size', 'MB', Number(size), where)
  if (compressed !== '-') measures.set('iostore_compressed', 'MB', Number(compressed), where)
}

const BUILD_TOOL: LineReader[] = [
  seconds('Total execution time:', 'ubt_seconds', new RegExp(`Total execution time: (?<seconds>${NUMBER}) seconds`)),
  line('action(s) started', /Building (?<count>\d+) action\(s\) started/, ({ count }, measures) =>
    measures.add('compile_actions', 'count', Number(count)),
  ),
  line('Loading map', new RegExp(`Loading map '(?<map>[^']{1,120})' took (?<taken>${NUMBER})`), ({ map, taken }, measures) =>
    measures.set('map_load_seconds', 's', Number(taken), { part: map! }),
  ),
]

export const unreal: LineReader[] = [
  ...COOK,
  { literal: 'LogCookCommandlet: Display:', read: readStatistic },
  { literal: 'LogCookStats: Display:', read: readStatistic },
  ...SHADERS,
  ...PAKS,
  { literal: 'LogIoStore: Display:', read: readContainer },
  ...BUILD_TOOL,
]
