const SPACE = String.raw`(?:\+|%20)`
const TEXT = String.raw`(?:%5C(?:%[0-9A-F]{2}|[^%])|(?!%22|%5C)[\s\S])`
const FORM = /^[\w.%+-]+=/

/** A body without the values of these fields, in JSON, in JSON inside a form, or in a form. */
export function withoutSecrets(raw: Buffer, names: readonly string[]): Buffer {
  // Long bodies without any of them are not decoded.
  if (!names.some((name) => [`"${name}"`, `%22${name}%22`, `${name}=`].some((mark) => raw.includes(mark)))) return raw
  const name = `(?:${names.join('|')})`
  const body = raw.toString()
  const cleaned = body
    .replace(new RegExp(String.raw`("${name}"\s*:\s*)"(?:[^"\\]|\\.)*"`, 'g'), '$1""')
    .replace(new RegExp(`(%22${name}%22${SPACE}*%3A${SPACE}*)%22${TEXT}*%22`, 'gi'), '$1%22%22')
  const fields = FORM.test(cleaned) ? cleaned.replace(new RegExp(`((?:^|&)${name}=)[^&]*`, 'g'), '$1') : cleaned
  return fields === body ? raw : Buffer.from(fields)
}
