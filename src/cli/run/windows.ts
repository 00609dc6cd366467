import { existsSync } from 'node:fs'
import { delimiter, extname, isAbsolute, join } from 'node:path'

/** How a program is started on Windows, where scripts (`RunUAT.bat`) are read by the command processor. Not tried by us. */
interface CommandLine {
  file: string
  args: string[]
  /** The words are quoted already. */
  verbatim: boolean
}

const SIGNS = /([()\][%!^"`<>&|;, *?])/g

/** As a program reads its words: quotes doubled by backslashes, and those before a quote doubled too. */
const quoted = (word: string) => `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`

const escaped = (text: string) => text.replace(SIGNS, '^$1')

export function commandLine(program: string, args: readonly string[], env: NodeJS.ProcessEnv): CommandLine {
  const found = locate(program, env)
  if (!/\.(?:bat|cmd)$/i.test(found)) return { file: found, args: [...args], verbatim: false }
  // A script hands its words on to programs: the signs are read twice.
  const words = [escaped(quoted(found)), ...args.map((word) => escaped(escaped(quoted(word))))]
  return { file: env.comspec || 'cmd.exe', args: ['/d', '/s', '/c', `"${words.join(' ')}"`], verbatim: true }
}

/** The file that a name without an ending means: Windows itself would look for programs only. */
function locate(program: string, env: NodeJS.ProcessEnv): string {
  if (extname(program) !== '') return program
  const endings = (env.PATHEXT || '.COM;.EXE;.BAT;.CMD').split(';')
  const isPath = isAbsolute(program) || /[\\/]/.test(program)
  const folders = isPath ? [''] : ['.', ...(env.Path ?? env.PATH ?? '').split(delimiter)]
  for (const folder of folders)
    for (const ending of endings) {
      const file = folder === '' ? `${program}${ending}` : join(folder, `${program}${ending}`)
      if (existsSync(file)) return file
    }
  return program
}
