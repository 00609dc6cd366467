/** The words that MSVC and lld-link write before the name of a symbol. */
const MODIFIERS = /\b(?:class|struct|enum|union|__cdecl|__thiscall|__vectorcall|__stdcall|__fastcall|__ptr64)\b\s*/g
const ANONYMOUS = /`anonymous[ -]namespace'|\(anonymous namespace\)|_GLOBAL__N_1/g

/** `?Fire@AHero@@QEAAXH@Z` as people write it; null where it has templates or operators. */
function fromMsvc(decorated: string): string | null {
  const found = /^\?(\?[01])?((?:[A-Za-z_]\w*@)+)@/.exec(decorated)
  if (!found) return null
  const parts = found[2]!.split('@').filter(Boolean).reverse()
  if (found[1]) parts.push(`${found[1] === '?1' ? '~' : ''}${parts.at(-1)}`)
  return parts.join('::')
}

/** `_ZN5AHero4FireEi` as people write it; null where it has templates or operators. */
function fromItanium(mangled: string): string | null {
  const found = /^_?_Z(N[rVK]*)?(?=\d)/.exec(mangled)
  if (!found) return null
  const parts: string[] = []
  let rest = mangled.slice(found[0].length)
  do {
    const length = /^\d{1,4}/.exec(rest)
    if (!length) break
    const end = length[0].length + Number(length[0])
    parts.push(rest.slice(length[0].length, end))
    rest = rest.slice(end)
  } while (found[1])
  const special = /^([CD])\d/.exec(rest)
  if (special && parts.length > 0) parts.push(`${special[1] === 'D' ? '~' : ''}${parts.at(-1)}`)
  else if (/^I/.test(rest)) return null
  return parts.join('::')
}

/** The name without parameters and return type, which compilers write differently. */
function qualifiedName(declared: string): string {
  let depth = 0
  let name = ''
  for (const char of declared) {
    if (char === '(' && depth === 0 && !/\boperator$/.test(name)) break
    if (char === '<') depth++
    if (char === '>') depth--
    // Only the last word before the parameters is the name; blanks inside template arguments do not end it.
    if (/\s/.test(char)) name = depth > 0 ? name : /\boperator$/.test(name) ? `${name} ` : ''
    else name += char
  }
  return name.replace(/^[*&]+/, '')
}

/** A linker's symbol as it is in the source: without decoration, parameters or words of one compiler. */
export function undecorated(symbol: string): string {
  const text = symbol
    .trim()
    .replace(ANONYMOUS, 'anonymous')
    .replace(/^__imp_/, '')
  return fromMsvc(text) ?? fromItanium(text) ?? qualifiedName(text.replace(MODIFIERS, '').trim()).replace(/^_(?=[A-Za-z])/, '')
}
