const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
}

/** Opens a page in the user's browser; false if none is found. */
export async function browse(url: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  if (!/^https?:\/\//.test(url)) return false
  const { spawn } = await import('node:child_process')
  const [program, ...first] = env.BROWSER ? [env.BROWSER] : (OPENERS[process.platform] ?? ['xdg-open'])
  return new Promise((resolve) => {
    const child = spawn(program!, [...first, url], { stdio: 'ignore', detached: true })
    child.once('error', () => resolve(false))
    child.once('spawn', () => {
      child.unref()
      resolve(true)
    })
  })
}

/** Prints the URL of a page, and opens it for a person at the terminal. */
export async function visit(url: string, env: NodeJS.ProcessEnv, print: (text: string) => void): Promise<void> {
  print(url)
  if (process.stdout.isTTY || env.BROWSER) await browse(url, env)
}
