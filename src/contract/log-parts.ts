export interface PhaseRule {
  when: RegExp
  /** The step that the line starts, ends or mentions. */
  begins?: string
  ends?: string
  /** Whether the step runs inside another, which it does not end. */
  isInside?: true
  detail?(found: RegExpExecArray): string | undefined
}

/** What engines print where a part of a build starts and ends. Unreal's tool prints it explicitly; in Unity's log it can be inferred. */
export const PHASES: readonly PhaseRule[] = [
  { when: /\bBUILD COMMAND STARTED/, begins: 'compiling' },
  { when: /\bBUILD COMMAND COMPLETED/, ends: 'compiling' },
  { when: /\bCOOK COMMAND STARTED|\bLogCook: (?:Display: )?Cooking \//, begins: 'cooking' },
  {
    when: /Cooked packages (\d+) Packages Remain \d+ Total (\d+)/,
    begins: 'cooking',
    detail: ([, cooked, total]) => `${cooked}/${total} cooked`,
  },
  { when: /\bCOOK COMMAND COMPLETED/, ends: 'cooking' },
  { when: /Shaders left to compile ([1-9]\d*)/, begins: 'shaders', isInside: true, detail: ([, left]) => `${left} left` },
  { when: /Shaders left to compile 0\b/, ends: 'shaders', isInside: true },
  { when: /\b(?:STAGE|PACKAGE) COMMAND STARTED/, begins: 'packaging' },
  { when: /\b(?:PACKAGE|ARCHIVE) COMMAND COMPLETED/, ends: 'packaging' },
  { when: /\bBuilding \d+ action(?:s|\(s\))? (?:started|with)\b/, begins: 'compiling' },
  { when: /^DisplayProgressbar: Compiling Scripts|^\[ScriptCompilation\] Requested script compilation/m, begins: 'compiling' },
  { when: /^\*\*\* Tundra build success/m, ends: 'compiling' },
  { when: /^DisplayProgressbar: (?:Incremental Player Build|Build(?:ing)? Player)/m, begins: 'building player' },
  { when: /^Compiling shader "/m, begins: 'shaders', isInside: true },
  { when: /^Build Finished, Result: Success/m, ends: 'building player' },
]

/** A line that starts a command, and the command: Travis and GitLab echo it, GitHub and Azure open a group, Jenkins names its step. */
export const COMMAND =
  /^(?:\$ |> (?=(?:@[\w.-]+\/)?[\w.-]+@\d\S* \S)|##\[group\]Run |##\[section\]Starting: |\[Pipeline\] (?:sh|bat|powershell|pwsh)\b|\[Container\] \S+ \S+ Running command )(.{0,200})/
const COMMAND_END =
  /^(?:The command "(?<reported>.*)|.*)" exited with (?<code>\d{1,3})\.$|^The command "(?<stopped>.*)" failed and exited with (?<during>\d{1,3}) during|^(?:The command "(?<retried>.*)" failed (?<times>\d) times\.)$|^(?:Command exited with code|Exited with code(?: exit status)?|Process completed with exit code|ERROR: Job failed: exit code|ERROR: script returned exit code|.{0,4}Error: The command exited with status|Process exited with code) (?<other>-?\d{1,10})\b/
/** No line that ends a step is shorter. */
const SHORTEST_END = 16
const ENDING_WORDS = ['xited with ', 'failed ', 'exit code']

/** The exit of a command, from a line that reports it; `reported` is the build service's wording. */
export function commandEnd(text: string): { code: number; reported: string | undefined } | undefined {
  if (text.length < SHORTEST_END || !ENDING_WORDS.some((word) => text.includes(word))) return undefined
  const groups = COMMAND_END.exec(text)?.groups
  return (
    groups && {
      code: Number(groups.code ?? groups.during ?? groups.times ?? groups.other),
      reported: groups.reported ?? groups.stopped ?? groups.retried,
    }
  )
}
