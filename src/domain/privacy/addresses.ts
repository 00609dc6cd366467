/**
 * Email addresses are reduced to their local part. An address is anything before an at-sign whose other side ends in letters:
 * `lodash@4.17.21` and `//depot/main/...@1234` are not.
 */

/** The at-sign as people, URLs, HTML and JSON spell it, if something precedes it. */
const AT = /[@＠﹫](?<=[^\s<>()[\]{},;:/@＠﹫].)|%(?:25)*40|&(?:amp;)*(?:#0*64|#x0*40|commat);?|\\(?:u0040|u\{0*40\}|x40)/gi
const SPELLED = /[＠﹫]|%(?:25)*40|&(?:amp;)*(?:#0*64|#x0*40|commat);?|\\(?:u0040|u\{0*40\}|x40)/gi
/** A substring of each of these spellings. */
export const NEAR_AT = ['@', '＠', '﹫', '%40', '%25', '&#', '&amp;', '&commat', '\\u0040', '\\u{', '\\x40'] as const
const DOMAIN = /(?:[\p{L}\p{N}._．。｡-]|%2e)+(?:[.．。｡]|%2e)\p{L}{2,}[\p{L}\p{N}_-]*/iuy
const NO_LOCAL_PART = /[\s<>()[\]{},;:/@＠﹫]/

/** `Hero@Walk.fbx`, `icon@2x.png`: file extensions that are not top-level domains. */
const FILE =
  /\.(?:3ds|abc|anim|asset|bank|blend|bmp|cfg|controller|cpp|css|csv|cxx|dat|dds|dll|exe|exr|fbx|gif|glb|gltf|hdr|hpp|html|ini|inl|jpeg|jpg|js|json|jsx|ktx|log|lua|mat|meta|mp3|mp4|obj|ogg|pdb|png|prefab|psd|spp|svg|tga|tif|tiff|ts|tsx|txt|uasset|umap|unity|usd|usda|usdz|uxml|wav|webp|xml|yaml|yml)$/i
/** `pkg@1.2.3-beta.rc`. */
const VERSION = /^v?\d+\.\d+\.\d+-(?:alpha|beta|canary|dev|next|nightly|pre|preview|rc|snapshot)\b/i

/** The end of the domain after an at-sign, or -1 if this is not an address. */
function domainEnd(text: string, from: number, before: string): number {
  if (before === '' || NO_LOCAL_PART.test(before)) return -1
  DOMAIN.lastIndex = from
  const found = DOMAIN.exec(text)
  return found === null || FILE.test(found[0]) || VERSION.test(found[0]) ? -1 : DOMAIN.lastIndex
}

interface Address {
  /** The offset of its at-sign, and start and end of its domain. */
  at: number
  domain: number
  end: number
}

/** Every address of a text in order. A text without one costs only a search for at-signs. */
export function* addressesIn(text: string): Generator<Address> {
  AT.lastIndex = 0
  let taken = 0
  let before = ''
  for (let found = AT.exec(text); found !== null; found = AT.exec(text)) {
    const domain = AT.lastIndex
    // A reduced address may be the start of the next: `a@b.com@c.org` is `a@c.org` once the first is reduced.
    if (found.index > taken) before = text[found.index - 1]!
    const end = domainEnd(text, domain, before)
    if (end === -1) continue
    taken = end
    yield { at: found.index, domain, end }
    AT.lastIndex = end
  }
}

/** Every address becomes its local part; a git remote (`git@host:path`) keeps its host, which identifies nobody. */
export function reduceAddresses(text: string): string {
  let out = ''
  let copied = 0
  for (const { at, domain, end } of addressesIn(text)) {
    if (isRemote(text, copied, at, end)) {
      out += text.slice(copied, at - 3)
      copied = domain
    } else {
      out += text.slice(copied, at)
      copied = end
    }
  }
  return copied === 0 ? text : out + text.slice(copied)
}

const isRemote = (text: string, from: number, at: number, end: number) =>
  at - 3 >= from &&
  text.startsWith('git', at - 3) &&
  !/[\w.+-]/.test(text[at - 4] ?? '') &&
  /[:/]/.test(text[end] ?? '') &&
  /[^\s:/]/.test(text[end + 1] ?? '')

/** Replaces all spellings of the at-sign with the plain one. */
export const plainAt = (text: string): string => text.replace(SPELLED, '@')

/** Whether an external id is an address; such a uid is omitted entirely. */
export const looksLikeAddress = (uid: string): boolean => /[^\s@]@[^\s@]/.test(plainAt(uid))
