import type { LineReader } from './log-measure.ts'

/** `name=value` pairs; a value may be quoted. */
const PAIRS = /(\w{1,20})=(?:'([^']{0,200})'|"([^"]{0,200})"|([^\s\]]{1,200}))/g

const pairsOf = (text: string): Record<string, string> =>
  Object.fromEntries(
    [...text.matchAll(PAIRS)].map(([, name, ...values]) => [name!, values.find((value) => value !== undefined)!]),
  )

const numberOf = (text: string | undefined) =>
  text !== undefined && /^\d+(?:\.\d+)?(?:e[+-]?\d{1,2})?$/i.test(text) ? Number(text) : Number.NaN

/** `1h 2m 3s`, `59s`, `5 mins 8.295 secs`. */
function secondsOf(text: string): number {
  const parts = [...text.matchAll(/(\d+(?:\.\d+)?) ?(h|m|s)/g)]
  return parts.length === 0
    ? Number.NaN
    : parts.reduce((sum, [, value, unit]) => sum + Number(value) * { h: 3600, m: 60, s: 1 }[unit as 'h' | 'm' | 's'], 0)
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
      const found = /^BUILD (?:SUCCESSFUL|FAILED) in ([\dhms ]{2,20})$/.exec(line.trimEnd())
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
