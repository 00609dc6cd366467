import type { TargetType } from '../../contract/sets.ts'
import {
  buildPlatformOf,
  configurationOf,
  DIMENSION_MAX,
  MEASURE_NAME_MAX,
  MEASURE_UNIT_MAX,
  MEASURES_MAX,
} from '../../contract/spellings/build-dimensions.ts'
import { targetTypeOf } from '../build-report.ts'
import type { Measure } from '../facts.ts'
import { at, number, object, objects, text, word } from '../reading.ts'

interface Dimensions {
  platform?: string
  configuration?: string
  agent?: string
  target_type?: TargetType
  measures?: Measure[]
}

/** Platform, configuration, agent and measures of a report in our own format. */
export function dimensionsOf(body: unknown): Dimensions {
  const told = textOf(at(body, 'configuration')) ?? textOf(at(body, 'target_type'))
  const platform = textOf(at(body, 'platform'))
  const measures = measuresOf(at(body, 'measures'))
  return {
    platform: platform && buildPlatformOf(platform),
    configuration: told && configurationOf(told),
    agent: agentOf(at(body, 'agent')),
    target_type: targetTypeOf(at(body, 'target_type')) ?? targetTypeOf(told),
    ...(measures && measures.length > 0 && { measures }),
  }
}

/** The tool's own field for the platform. */
export const platformIn = (value: unknown): string | undefined => {
  const told = textOf(value)
  return told && buildPlatformOf(told)
}

/** The machine, by its name. */
export const agentOf = (value: unknown): string | undefined => textOf(value) ?? textOf(at(value, 'name'))

const textOf = (value: unknown): string | undefined => text(text(value)?.trim().slice(0, DIMENSION_MAX))

/** A list of `{name, value, unit, platform}`, or a map from name to a number or to such an object; undefined if it is neither. */
function measuresOf(reported: unknown): Measure[] | undefined {
  const entries = Array.isArray(reported)
    ? objects(reported).map((item): [unknown, unknown] => [at(item, 'name'), item])
    : Object.entries(object(reported) ?? {})
  const measures = entries.flatMap(([name, item]) => measureOf(text(name), item)).slice(0, MEASURES_MAX)
  return reported === undefined || (measures.length === 0 && entries.length === 0 && !Array.isArray(reported))
    ? undefined
    : measures
}

function measureOf(name: string | undefined, item: unknown): Measure[] {
  const value = number(object(item) ? at(item, 'value') : item)
  if (name === undefined || name.trim() === '' || value === undefined) return []
  const [unit, platform] = [word(at(item, 'unit'))?.slice(0, MEASURE_UNIT_MAX), platformIn(at(item, 'platform'))]
  return [{ name: name.trim().slice(0, MEASURE_NAME_MAX), value, unit: unit ?? null, platform: platform ?? null }]
}

/** Warnings for the sender about fields that could not be used. */
export function misreadDimensions(body: unknown): string[] {
  const wrong = ['platform', 'configuration'].filter((name) => isTold(at(body, name)) && textOf(at(body, name)) === undefined)
  if (isTold(at(body, 'agent')) && agentOf(at(body, 'agent')) === undefined) wrong.push('agent')
  return [...wrong.map((name) => `${name} must be text; it was ignored.`), ...misreadMeasures(at(body, 'measures'))]
}

const isTold = (value: unknown) => value !== undefined && value !== null && value !== ''

function misreadMeasures(reported: unknown): string[] {
  if (!isTold(reported)) return []
  const told = Array.isArray(reported) ? reported.length : Object.keys(object(reported) ?? {}).length
  const read = measuresOf(reported)?.length ?? 0
  if (told === 0 && object(reported) === undefined && !Array.isArray(reported))
    return ['measures must be a list of {name, value, unit, platform} or a map of numbers; it was ignored.']
  return told > read
    ? [`${told - read} of ${told} measures were ignored: each has a name and a number, and a build has at most ${MEASURES_MAX}.`]
    : []
}
