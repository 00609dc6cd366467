import type { LineReader } from './log-measure.ts'

/** `name=value` pairs; a value may be quoted. */
const PAIRS = /(\w{1,20})=(?:'([^']{0,200})'|"([^"]{0,200})"|([^\s\]]{1,200}))/g

const pairsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(PAIRS)].map(([, name, ...values]) => [name!, values.find((value) => value !== undefined)!]),
  )

const numberOf = (text: string | undefined) =>
  text !== undefined && /^\d+(?:\.\d+)?(?:e[+-]?\d{1,2})?$/i.test(text) ? Number(text) : Number.NaN

/** In milliseconds, so that the sum has no rounding errors. */
const DURATION_UNITS = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1000, ms: 1 }

/** `1h 2m 3s`, `59s`, `985ms`. */
function secondsOf(text: string): number {
  let milliseconds = 0
  for (const part of text.split(' ')) {
    const [, value, unit] = /^(\d+)(d|h|m|s|ms)$/.exec(part) ?? []
    milliseconds += Number(value) * DURATION_UNITS[unit as 'ms']
  }
  return milliseconds / 1000
}

/** Xcode writes zero as a word. */
const megabytesOf = (value: string, unit: string) =>
  value === 'Zero'
    ? 0
    : (Number(value.replaceAll(',', '')) * { KB: 1, MB: 1000, GB: 1_000_000 }[unit as 'KB' | 'MB' | 'GB']) / 1000

export const otherTools: LineReader[] = [
  {
    literal: '##goldmaster[measure ',
    read(line, measures) {
      const { name, unit = '', value, platform = null } = pairsOf(line.slice(line.indexOf('##goldmaster[measure ')))
      if (name) measures.set(name, unit, numberOf(value), { platform })
    },
  },
  {
    literal: '##teamcity[buildStatisticValue ',
    read(line, measures) {
      const { key, value } = pairsOf(line.slice(line.indexOf('##teamcity[')))
      if (key) measures.set(key, '', numberOf(value))
    },
  },
  {
    literal: 'BUILD ',
    read(line, measures) {
      const found = /^BUILD (?:SUCCESSFUL|FAILED) in ([\ddhms ]{2,30})$/.exec(line.trimEnd())
      if (found) measures.set('gradle_seconds', 's', secondsOf(found[1]!))
    },
  },
  {
    literal: 'Variant: ',
    read(line, _, context) {
      const found = /^Variant: (.{1,120}\.ipa)\s*$/.exec(line)
      if (found) context.variant = found[1]!
    },
  },
  {
    literal: 'App size: ',
    read(line, measures, { variant: part }) {
      const found = /^App size: (Zero|[\d.,]+) (KB|MB|GB) compressed, (Zero|[\d.,]+) (KB|MB|GB) uncompressed/.exec(line)
      if (!found) return
      measures.set('ipa_download', 'MB', megabytesOf(found[1]!, found[2]!), { part })
      measures.set('ipa_install', 'MB', megabytesOf(found[3]!, found[4]!), { part })
    },
  },
]
