import { command } from '../command.ts'

/** The shells ask the program itself what may follow, so that the answers are never out of date. */
const SCRIPTS: Record<string, string> = {
  bash: `_goldmaster() {
  local IFS=$'\\n'
  COMPREPLY=($(compgen -W "$(goldmaster __complete "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _goldmaster goldmaster`,
  zsh: `#compdef goldmaster
_goldmaster() {
  local -a answers
  answers=("\${(@f)$(goldmaster __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if (( \${#answers} )) && [[ -n "\${answers[1]}" ]]; then compadd -- "\${answers[@]}"; else _files; fi
}
compdef _goldmaster goldmaster`,
  fish: `complete -c goldmaster -f -a '(goldmaster __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
}

export const completion = command({
  name: 'completion',
  summary: 'print a script that lets your shell complete commands, options and values',
  offline: true,
  args: [{ name: 'shell', help: 'yours', values: Object.keys(SCRIPTS) }],
  details: `Put it where your shell looks:
  bash   echo 'source <(goldmaster completion bash)' >> ~/.bashrc
  zsh    echo 'source <(goldmaster completion zsh)' >> ~/.zshrc   (after compinit)
  fish   goldmaster completion fish > ~/.config/fish/completions/goldmaster.fish`,
  examples: ['completion bash', 'completion fish'],
  run: ({ args, out }) => out.line(SCRIPTS[args[0]!]),
})
