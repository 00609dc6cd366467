import { withoutEscapes } from '../stages/terminal.ts'
import { type Layer, shareOf } from './layer.ts'

/** TeamCity's message around a line of output. */
const MESSAGE = /^\s*##teamcity\[message\b.{0,200}?\btext='((?:[^'|]|\|.)*)'/
const MOST = 0.5

const ESCAPED: Readonly<Record<string, string>> = { n: ' ', r: '', x: ' ', l: ' ', p: ' ' }

const unescaped = (text: string) =>
  text
    .replace(/\|0x([0-9a-fA-F]{4})/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/\|(.)/g, (_, char: string) => ESCAPED[char] ?? char)

/** Output that a build step handed on as service messages: the text inside is the line. */
export function learnServiceMessages(lines: readonly string[]): Layer | null {
  if (shareOf(lines, (line) => MESSAGE.test(line)) < MOST) return null
  return (text) => {
    const found = MESSAGE.exec(text)
    return found && { rest: withoutEscapes(unescaped(found[1]!)).trimEnd() }
  }
}
