/** Somebody who has a file checked out, as the tool names them. */
export interface CheckedOut {
  name: string
  workspace: string
  /** What they are about to do: `edit`, `delete`, … */
  action: string
}
