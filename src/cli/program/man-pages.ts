import type { Command } from 'commander'
import { VERSION } from '../../contract/version.ts'
import { helpOf } from './manual.ts'

/** Escapes text for roff: no line becomes a command, no backslash or dash has a special meaning. */
const roff = (text: string) =>
  text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replace(/^([.'])/gm, '\\&$1')

function manPage(name: string, summary: string, sections: readonly (readonly [title: string, text: string])[]): string {
  const head = `.TH "${name.toUpperCase()}" "1" "" "Goldmaster ${VERSION}" "Goldmaster"\n.SH NAME\n${roff(name)} \\- ${roff(summary)}\n`
  return head + sections.map(([title, text]) => `.SH ${roff(title.toUpperCase())}\n.nf\n${roff(text)}\n.fi\n`).join('')
}

const leaves = (command: Command, words: string[]): [string, Command][] =>
  command.commands.length === 0
    ? [[words.join(' '), command]]
    : command.commands.flatMap((inner) => leaves(inner as Command, [...words, inner.name()]))

/** A man page for the program and one for each first word, by file name. */
export function manPages(program: Command, introduction: string): Map<string, string> {
  const pages = new Map([
    [
      'goldmaster.1',
      manPage('goldmaster', program.description(), [
        ['Usage', helpOf(program)],
        ['Notes', introduction],
      ]),
    ],
  ])
  for (const command of program.commands as Command[]) {
    const name = `goldmaster-${command.name()}`
    const sections = leaves(command, ['goldmaster', command.name()]).map(([words, leaf]) => [words, helpOf(leaf)] as const)
    pages.set(`${name}.1`, manPage(name, command.description(), sections))
  }
  return pages
}
