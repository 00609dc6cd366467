import { existsSync } from 'node:fs'
import { delimiter, extname, isAbsolute, join } from 'node:path'

/** How a program is started on Windows, where scripts (`RunUAT.bat`) are run by the command processor. Tested on Wine only. */
interface CommandLine {
  file: string
  args: string[]
  /** The words are already quoted. */
  verbatim: boolean
}

const SIGNS = /([()\][%!^"`<>&|;, *?])/g

/** Quoted for a program's parser: quotes escaped with backslashes, and backslashes before a quote doubled. */
const quoted = (word: string) => `"${word.replace(/(\\*)"/g, '$1$1\\"').replace(/(\\*)$/, '$1$1')}"`

const escaped = (text: string) => text.replace(SIGNS, '^$1')

export function commandLine(program: string, args: readonly string[], env: NodeJS.ProcessEnv): CommandLine {
  const found = locate(program, env)
  if (!/\.(?:bat|cmd)$/i.test(found)) return { file: found, args: [...args], verbatim: false }
  // A script passes its words on to programs: special characters are parsed twice.
  const words = [escaped(quoted(found)), ...args.map((word) => escaped(escaped(quoted(word))))]
  return { file: env.comspec || 'cmd.exe', args: ['/d', '/s', '/c', `"${words.join(' ')}"`], verbatim: true }
}

/** The file of a name without an extension of programs: Windows itself would only find an `.exe`. */
function locate(program: string, env: NodeJS.ProcessEnv): string {
  const endings = (env.PATHEXT || '.COM;.EXE;.BAT;.CMD').split(';')
  if (endings.some((ending) => ending.toLowerCase() === extname(program).toLowerCase())) return program
  const isPath = isAbsolute(program) || /[\\/]/.test(program)
  const folders = isPath ? [''] : ['.', ...(env.Path ?? env.PATH ?? '').split(delimiter)]
  for (const folder of folders)
    for (const ending of endings) {
      const file = folder === '' ? `${program}${ending}` : join(folder, `${program}${ending}`)
      if (existsSync(file)) return file
    }
  return program
}
