import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The path of a program, if this machine has it. */
export function pathTo(program: string): string | undefined {
  const files = (process.env.PATH ?? '').split(delimiter).map((folder) => join(folder, program))
  return files.find((file) => {
    try {
      accessSync(file, constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}

// Without a window, the browser needs much less CPU.
const [browser] = ['chromium-headless-shell', 'chromium', 'chromium-browser', 'google-chrome'].flatMap(
  (name) => pathTo(name) ?? [],
)

/** Tests that need a browser are skipped without one. */
export const CHROMIUM = process.env.CHROMIUM ?? browser
