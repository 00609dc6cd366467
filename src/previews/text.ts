import { PREVIEW_TEXT_MAX } from '../contract/limits.ts'

/** UTF-8 without NUL. The last character may be cut off. */
export function isText(bytes: Buffer): boolean {
  if (bytes.length === 0 || bytes.includes(0)) return false
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
    return true
  } catch {
    return false
  }
}

/** As much as is kept, in whole characters. */
export const firstText = (bytes: Buffer): Buffer =>
  Buffer.from(new TextDecoder().decode(bytes.subarray(0, PREVIEW_TEXT_MAX), { stream: true }))
