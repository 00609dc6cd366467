import { command } from '../program/command.ts'
import { SUMMARIES } from '../summaries.ts'

/** The shells ask the program itself for completions, so that they are never outdated. */
const SCRIPTS: Record<string, string> = {
  // Bash splits words at colons: they are read from the line, and completions start after the last colon.
  bash: `_goldmaster() {
  local IFS=$' \\t\\n' line="\${COMP_LINE:0:COMP_POINT}" typed words
  read -ra words <<< "$line"
  [[ "$line" == *[[:space:]] ]] && words+=("")
  typed="\${words[\${#words[@]}-1]}"
  IFS=$'\\n'
  COMPREPLY=($(goldmaster __complete "\${words[@]:1}" 2>/dev/null))
  [[ "$typed" == *:* ]] && COMPREPLY=("\${COMPREPLY[@]#"\${typed%"\${typed##*:}"}"}")
}
complete -o default -F _goldmaster goldmaster`,
  zsh: `#compdef goldmaster
_goldmaster() {
  local -a answers
  answers=("\${(@f)$(goldmaster __complete "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  if [[ -n "\${answers[1]}" ]]; then compadd -- "\${answers[@]}"; else _files; fi
}
if [[ "\${funcstack[1]}" == _goldmaster ]]; then _goldmaster "$@"; else compdef _goldmaster goldmaster; fi`,
  fish: `function __goldmaster
  set -l answers (goldmaster __complete (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
  if test (count $answers) -gt 0
    printf '%s\\n' $answers
  else
    __fish_complete_path (commandline -ct)
  end
end
complete -c goldmaster -f -a '(__goldmaster)'`,
  powershell: `Register-ArgumentCompleter -Native -CommandName goldmaster -ScriptBlock {
  param($typed, $line, $position)
  $words = @($line.CommandElements | Select-Object -Skip 1 | Where-Object { $_.Extent.EndOffset -lt $position } | ForEach-Object { "$_" })
  goldmaster __complete @words $typed 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`,
}

export const completion = command({
  name: 'completion',
  summary: SUMMARIES.completion,
  offline: true,
  args: { shell: { help: 'Your shell', values: Object.keys(SCRIPTS) } },
  details: `To install it:
  bash   echo 'source <(goldmaster completion bash)' >> ~/.bashrc
  zsh    echo 'source <(goldmaster completion zsh)' >> ~/.zshrc   (after compinit)
  fish   goldmaster completion fish > ~/.config/fish/completions/goldmaster.fish
  PowerShell   Add-Content $PROFILE 'goldmaster completion powershell | Out-String | Invoke-Expression'   (untested)`,
  examples: ['completion bash', 'completion fish'],
  run: ({ args, out }) => out.line(SCRIPTS[args.shell]),
})
