import { branchOf } from '../../build-report.ts'
import { objects, text } from '../../reading.ts'

/** Common parts of both formats. */

/** As `goldmaster run` names the job inside TeamCity. */
export function jobName(project: unknown, name: unknown): string | undefined {
  const [where, what] = [text(project), text(name)]
  return where === undefined || what === undefined ? undefined : `${where}/${what}`
}

/** `5535 - CL 123456`: studios put the changelist into the build number. */
export const changelistIn = (number: string | undefined): string | undefined =>
  /(?<![A-Za-z])CL[ #:_-]{0,3}(\d{1,10})(?!\d)/i.exec(number ?? '')?.[1]

/** `<default>` is a placeholder, not a branch. */
export function branchIn(told: unknown): string | undefined {
  const branch = branchOf(told)
  return branch === '<default>' ? undefined : branch
}

/** The value of the only property with such a name. Others may be secret, and are not kept. */
export function propertyIn(properties: unknown, name: RegExp): string | undefined {
  const values = objects(properties).flatMap((property) =>
    name.test(text(property.name) ?? '') ? (text(property.value) ?? []) : [],
  )
  return values.length === 1 ? values[0] : undefined
}
