import { usage } from '../../terminal/failures.ts'

type Json = Record<string, unknown>

const split = (field: string): [name: string, value: string] => {
  const at = field.indexOf('=')
  if (at < 1) throw usage(`--field must look like name=value, not: ${field}`)
  return [field.slice(0, at), field.slice(at + 1)]
}

export const queryOf = (fields: readonly string[]) => fields.map(split)

/** A JSON body from `task.title=x` and `task.labels[]=x`. */
export function bodyOf(fields: readonly string[]): string {
  const body: Json = Object.create(null)
  for (const field of fields) {
    const [path, text] = split(field)
    const list = path.endsWith('[]')
    const names = (list ? path.slice(0, -2) : path).split('.')
    const last = names.pop()!
    let at = body
    for (const name of names) {
      at[name] ??= Object.create(null)
      if (!isObject(at[name])) throw usage(`--field: ${name} is both a value and an object. Use one of them.`)
      at = at[name] as Json
    }
    if (!list) at[last] = typedValue(text)
    else at[last] = [...(Array.isArray(at[last]) ? at[last] : []), typedValue(text)]
  }
  return JSON.stringify(body)
}

const isObject = (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value)

/** Numbers, true, false, null and quoted text as in JSON; anything else is text. */
function typedValue(text: string): unknown {
  if (!/^(?:true|false|null|-?\d{1,15}(?:\.\d{1,15})?|".*")$/s.test(text)) return text
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
