import { spawnSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CLIENT } from '../../test/support/built.ts'
import { CommandLine } from '../../test/support/callers/command-line.ts'
import { describeWith, testWith } from '../../test/support/skippable.ts'

let line: CommandLine
beforeAll(async () => {
  line = new CommandLine()
  mkdirSync(join(line.home, 'bin'))
  symlinkSync(CLIENT, join(line.home, 'bin/goldmaster'))
  for (const shell of ['bash', 'zsh', 'fish'])
    writeFileSync(join(line.home, `script.${shell}`), (await line.run(['completion', shell])).out)
  writeFileSync(join(line.home, 'broken.log'), 'error: it broke\n')
})
afterAll(() => line.close())

const run = (shell: string, args: string[]) =>
  spawnSync(shell, args, {
    encoding: 'utf8',
    cwd: line.home,
    env: { ...process.env, PATH: `${join(line.home, 'bin')}:${process.env.PATH}`, HOME: line.home, TERM: 'dumb' },
  })

/** What a shell offers for a partially typed line. */
const OFFERS: Record<string, (typed: string) => string[]> = {
  bash(typed) {
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the shell fills it in
    const set = 'source ./script.bash; COMP_LINE="$1" COMP_POINT=${#1}; _goldmaster; printf "%s\\n" "${COMPREPLY[@]}"'
    return run('bash', ['--norc', '-c', set, 'bash', typed]).stdout.split('\n').filter(Boolean)
  },
  fish(typed) {
    const { stdout } = run('fish', ['--no-config', '-c', 'source ./script.fish; complete -C $argv[1]', typed])
    return stdout.split('\n').flatMap((offer) => offer.split('\t', 1)[0] || [])
  },
  // Only an interactive zsh completes: one is typed to, and a widget of ours prints what it was offered.
  zsh(typed) {
    const inner = `autoload -Uz compinit && compinit -u -D; source ./script.zsh
      compadd() { print -l -- "OFFER \${^@[2,-1]}" }
      show() { print; zle complete-word; print DONE; exit }
      zle -C complete-word complete-word _main_complete; zle -N show; bindkey '^G' show; print READY`
    writeFileSync(join(line.home, 'inner.zsh'), inner)
    const outer = `zmodload zsh/zpty; zpty z zsh -f -i; zpty -w z 'source ./inner.zsh'; zpty -r -m z seen '*READY*'
      zpty -w -n z "$1"$'\\C-g'; zpty -r -m z seen '*DONE*'; print -r -- $seen`
    const { stdout } = run('zsh', ['-f', '-c', outer, 'zsh', typed])
    return [...stdout.matchAll(/OFFER (\S+)/g)].map(([, offer]) => offer!)
  },
}

for (const shell of Object.keys(OFFERS))
  describeWith(shell)(shell, () => {
    test('accepts the script without a warning', () => {
      const check = shell === 'fish' ? '--no-execute' : '-n'
      expect(run(shell, [check, `script.${shell}`])).toMatchObject({ status: 0, stderr: '' })
    })

    test.each([
      ['goldmaster bui', ['builds']],
      ['goldmaster tasks l', ['list']],
      ['goldmaster completion ', ['bash', 'zsh', 'fish', 'powershell']],
      ['goldmaster tasks list --prio', ['--priority']],
      ['goldmaster tasks list --priority c', ['critical']],
      ['goldmaster tasks list --state to_do,b', ['to_do,blocked']],
    ])('completes "%s"', (typed, offered) => {
      expect(new Set(OFFERS[shell]!(typed))).toEqual(new Set(offered))
    })

    test('completes scopes that contain colons', () => {
      const [offer] = OFFERS[shell]!('goldmaster login --scope read:ch')
      // Bash inserts the completion at the start of the last word, and treats a colon as the end of a word.
      expect(offer).toBe(shell === 'bash' ? 'changes' : 'read:changes')
    })
  })

testWith('fish')('fish offers files if no command, flag or value matches', () => {
  expect(OFFERS.fish!('goldmaster diagnose bro')).toEqual(['broken.log'])
})
