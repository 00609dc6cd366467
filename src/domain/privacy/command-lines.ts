import { Literals } from '../../diagnosis/stages/literals.ts'
import { CommandWords, type Word } from './command-words.ts'
import { type Command, commandsOf, isReference, NEAR_ARGUMENTS } from './secret-arguments.ts'
import { SECRET } from './secret-shapes.ts'

const LINES = new Literals(NEAR_ARGUMENTS, { ignoreCase: true })

/** Flags that take a credential in every command. The whole word is the credential, separators included: `--password=a&b,c`. */
const ANY_FLAG = /^--?[\w.-]*(?:password|passwd|passphrase|storepass|keypass)$/i
const ANY_ASSIGNMENT =
  /^(?:--?[\w.-]*(?:[Pp]ass(?:word|wd|phrase)|[Ss]torepass|[Kk]eypass)|[A-Z\d_]*(?:PASSWORD|PASSWD|PASSPHRASE|_PWD|FASTLANE_SESSION))=/
const ECHO = /^(?:echo|printf|write-output)$/i
/** How many words of a command are kept to interpret the next one, and how many levels of nested quotes are read. */
const WORDS_MAX = 50
const DEPTH_MAX = 3

interface Cut {
  from: number
  to: number
}

/** The text without credentials in the arguments of commands. */
export function redactArguments(text: string): string {
  let out = ''
  let copied = 0
  for (let hit = LINES.endOfFirst(text, 0); hit !== -1; ) {
    const from = text.lastIndexOf('\n', hit - 1) + 1
    const next = text.indexOf('\n', hit)
    const to = next === -1 ? text.length : next
    for (const cut of inOrder(new CommandLine(text.slice(from, to), from).cuts)) {
      out += text.slice(copied, cut.from) + SECRET
      copied = cut.to
    }
    hit = LINES.endOfFirst(text, to)
  }
  return copied === 0 ? text : out + text.slice(copied)
}

/** Piped text can contain the same credential as an argument. */
const inOrder = (cuts: readonly Cut[]): Cut[] => {
  const merged: Cut[] = []
  for (const cut of cuts.toSorted((a, b) => a.from - b.from || b.to - a.to))
    if (cut.from >= (merged.at(-1)?.to ?? 0)) merged.push(cut)
  return merged
}

/** One line, read from left to right; the name of a command decides what the words after it mean. */
class CommandLine {
  readonly cuts: Cut[] = []
  readonly #offset: number
  #commands: readonly Command[] = []
  /** The words of this command, itself first. */
  #before: string[] = []
  /** The next word is a credential, or its part after the separator. */
  #expects: { separator?: string } | undefined
  /** What `echo` prints, and what it printed into the pipe that this command reads. */
  #echo: (Cut & { text: string }) | 'begun' | undefined
  #piped: (Cut & { text: string }) | undefined

  constructor(line: string, offset: number, depth = 0) {
    this.#offset = offset
    const words = new CommandWords(line)
    for (let word = words.next(); word !== undefined; word = words.next()) {
      if (this.#take(word)) continue
      if (word.isQuoted && depth < DEPTH_MAX && /\s/.test(word.text))
        this.cuts.push(...new CommandLine(word.text, offset + word.from, depth + 1).cuts)
    }
  }

  /** Whether the whole line is understood. */
  #take(word: Word): boolean {
    if (!word.isQuoted && /^[|;&]$/.test(word.text)) return this.#end(word.text)
    this.#print(word)
    const expected = this.#expects
    this.#expects = undefined
    const isFlag = word.text.startsWith('-') && !word.isQuoted
    if (expected && !isFlag) {
      this.#cut(word, expected.separator === undefined ? 0 : word.text.indexOf(expected.separator) + 1 || word.text.length)
      this.#remember(word.text)
      return true
    }
    const commands = commandsOf(word.text)
    if (commands) return this.#begin(word.text, commands)
    if (word.text.startsWith('-') && ANY_FLAG.test(word.text)) this.#expects = {}
    const assignment = word.text.includes('=') ? ANY_ASSIGNMENT.exec(word.text.slice(0, 200)) : null
    if (assignment) this.#cut(word, assignment[0].length)
    for (const command of this.#commands) if (this.#holds(command)) this.#judge(word, command)
    this.#remember(word.text)
    return false
  }

  #end(separator: string): true {
    this.#piped = separator === '|' && typeof this.#echo === 'object' ? this.#echo : undefined
    this.#echo = undefined
    this.#expects = undefined
    this.#commands = []
    this.#before = []
    return true
  }

  #begin(text: string, commands: readonly Command[]): true {
    this.#commands = commands
    this.#before = [text]
    for (const command of commands) if (command.names.includes(command.input ?? '')) this.#cutPiped()
    return true
  }

  #print({ text, from, to }: Word) {
    if (this.#echo === 'begun' && !/^-\w+$/.test(text)) this.#echo = { text, from, to }
    else if (typeof this.#echo === 'object') this.#echo = { ...this.#echo, text: '', to }
    else if (ECHO.test(text)) this.#echo = 'begun'
  }

  #holds({ verbs, while: holds }: Command): boolean {
    if (this.#before.length >= WORDS_MAX) return false
    return (verbs?.some((verb) => this.#before.includes(verb)) ?? true) && (holds?.(this.#before) ?? true)
  }

  #judge(word: Word, { flags = [], glued = [], pairs, bare, input }: Command) {
    const { text } = word
    if (text === input) this.#cutPiped()
    if (text === '<<<' && input !== undefined && this.#before.includes(input)) this.#expects = {}
    if (flags.includes(text)) this.#expects = {}
    else if (flags.some((flag) => text.startsWith(`${flag}=`))) this.#cut(word, text.indexOf('=') + 1)
    else if (pairs?.flags.includes(text)) this.#expects = { separator: pairs.separator }
    else if (pairs?.flags.some((flag) => text.startsWith(flag.length === 2 ? flag : `${flag}=`)))
      this.#cut(word, text.indexOf(pairs.separator) + 1 || text.length)
    else {
      const flag = glued.find((flag) => text.startsWith(flag))
      if (flag !== undefined) this.#cut(word, flag.length)
      else if (!(text.startsWith('-') && !word.isQuoted) && bare?.(text, this.#before)) this.#cut(word, 0)
    }
  }

  #remember(text: string) {
    if (this.#before.length > 0 && this.#before.length < WORDS_MAX) this.#before.push(text)
  }

  /** Text printed into a command that reads a credential from its input. */
  #cutPiped() {
    const piped = this.#piped
    this.#piped = undefined
    if (piped && !isReference(piped.text)) this.cuts.push({ from: this.#offset + piped.from, to: this.#offset + piped.to })
  }

  /** The word from an offset on, without quotes around the rest. */
  #cut({ text, from, to }: Word, behind: number) {
    const rest = text.slice(behind)
    const quotes = /^(["'`]).*\1$/s.test(rest) && rest.length > 1 ? 1 : 0
    const value = rest.slice(quotes, rest.length - quotes)
    if (value !== '' && !isReference(value))
      this.cuts.push({ from: this.#offset + from + behind + quotes, to: this.#offset + to - quotes })
  }
}
