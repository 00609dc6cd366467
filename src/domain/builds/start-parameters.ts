import { cannotAct, invalidParameter } from '../../contract/errors.ts'
import { PARAMETERS_MAX } from '../../contract/limits.ts'

/** A parameter that the settings of an integration let people set. Without values any text is allowed. */
export interface StartParameter {
  name: string
  values: string[]
}

/** Names that every CI takes, and that no request could mistake for something else. */
const NAME = /^[A-Za-z_][A-Za-z0-9_.-]{0,99}$/

/** Reads the setting: `PLATFORM=Win64|PS5, NOTE`. Entries that are no names are left out. */
export function startParameters(setting: unknown): StartParameter[] {
  if (typeof setting !== 'string') return []
  const entries = setting.split(/[,\n]/).map((entry) => {
    const [name = '', ...rest] = entry.split('=')
    const values = rest.join('=').split('|')
    return { name: name.trim(), values: values.map((value) => value.trim()).filter((value) => value !== '') }
  })
  const named = entries.filter(({ name }, at) => NAME.test(name) && entries.findIndex((one) => one.name === name) === at)
  return named.slice(0, PARAMETERS_MAX)
}

/** What was asked for, `NAME=value` each, as far as the settings allow it. Throws for anything else. */
export function requireParameters(setting: unknown, given: readonly string[]): Record<string, string> {
  const allowed = startParameters(setting)
  const read = given.map((text): [string, string] => {
    const [name = '', ...rest] = text.split('=')
    if (rest.length === 0) throw invalidParameter('parameters', 'must look like NAME=value')
    return [name.trim(), rest.join('=')]
  })
  const names = read.map(([name]) => name)
  for (const [at, [name, value]] of read.entries()) {
    const known = allowed.find((one) => one.name === name)
    if (names.indexOf(name) !== at) throw invalidParameter('parameters', `must have ${name} only once`)
    if (!known) throw cannotAct(refusal(name, allowed))
    if (known.values.length > 0 && !known.values.includes(value))
      throw cannotAct(`${name} must be one of: ${known.values.join(', ')}.`)
  }
  return Object.fromEntries(read)
}

const refusal = (name: string, allowed: readonly StartParameter[]) =>
  allowed.length === 0
    ? 'This integration allows no parameters. Somebody who may edit it can allow them in its settings.'
    : `This integration does not allow the parameter ${name}, only ${allowed.map((one) => one.name).join(', ')}.`
