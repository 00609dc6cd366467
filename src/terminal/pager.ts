/** Shows a text with the user's pager if it is longer than the screen; false if there is none. */
export async function page(text: string, env: NodeJS.ProcessEnv, rows: number): Promise<boolean> {
  const wanted = env.GOLDMASTER_PAGER ?? env.PAGER ?? (process.platform === 'win32' ? '' : 'less')
  if (wanted.trim() === '' || wanted.trim() === 'cat' || env.TERM === 'dumb' || text.split('\n').length <= rows) return false
  const { spawnSync } = await import('node:child_process')
  const { status, error } = spawnSync(wanted, {
    shell: true,
    input: text,
    stdio: ['pipe', 'inherit', 'inherit'],
    // Like git: colors pass through, a short text is printed, the screen is restored.
    env: { ...env, LESS: env.LESS ?? 'FRX' },
  })
  return error === undefined && status !== 127
}
