import type { LineReader } from './log-measure.ts'

const UNITS: Record<string, number> = { kb: 1024, mb: 1024 ** 2, gb: 1024 ** 3 }

const bytesOf = (value: string, unit: string) => Math.round(Number(value) * UNITS[unit]!)

/** A category of the build report: its name, its size, a tab, its percentage. */
const CATEGORY = /^(?<category>[A-Z][\w ]{1,40}?)\s{2,}(?<size>\d+(?:\.\d+)?) (?<unit>kb|mb|gb)\t\s*\d/

export const unity: LineReader[] = [
  {
    literal: 'Uncompressed usage by category',
    read: (_, __, context) => {
      context.block = 'unity-sizes'
    },
  },
  {
    literal: 'b\t',
    read(line, measures, context) {
      if (context.block !== 'unity-sizes') return
      const { category, size, unit } = CATEGORY.exec(line)?.groups ?? {}
      if (category === undefined) return
      if (category === 'Total User Assets') measures.set('user_assets_size', 'bytes', bytesOf(size!, unit!))
      else measures.set('size', 'bytes', bytesOf(size!, unit!), { part: category })
    },
  },
  {
    literal: 'Complete build size',
    read(line, measures, context) {
      const { size, unit } = /^Complete build size\s+(?<size>\d+(?:\.\d+)?) (?<unit>kb|mb|gb)/.exec(line)?.groups ?? {}
      if (size !== undefined) measures.set('build_size', 'bytes', bytesOf(size, unit!))
      context.block = ''
    },
  },
  {
    literal: 'Build completed with a result of',
    read(line, measures) {
      const found = /^Build completed with a result of '\w+' in \d+ seconds \((\d+) ms\)/.exec(line)
      if (found) measures.set('build_seconds', 's', Number(found[1]) / 1000)
    },
  },
  {
    literal: 'Asset Pipeline Refresh',
    read(line, measures) {
      const found = /Total: (\d+(?:\.\d+)?) seconds/.exec(line)
      if (found) measures.add('asset_refresh_seconds', 's', Number(found[1]))
    },
  },
  {
    literal: 'Domain Reload Profiling:',
    read(line, measures) {
      const found = /Domain Reload Profiling: (\d+)ms/.exec(line)
      if (found) measures.add('domain_reload_seconds', 's', Number(found[1]) / 1000)
    },
  },
  {
    literal: 'After scriptable stripping:',
    read(line, measures) {
      const found = /After scriptable stripping:\s+(\d+)/.exec(line)
      if (found) measures.add('shader_variants', 'count', Number(found[1]))
    },
  },
  {
    literal: 'Processed in ',
    read(line, measures) {
      const found = /^Processed in (\d+(?:\.\d+)?) seconds/.exec(line)
      if (found) measures.add('shader_compile_seconds', 's', Number(found[1]))
    },
  },
]
