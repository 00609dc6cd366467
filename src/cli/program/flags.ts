/** One option of a command. Without `value` it is a switch. */
export interface Flag {
  help: string
  /** What stands for the value in the help. */
  value?: string
  /** The closed set the value is taken from. */
  values?: readonly string[]
  /** May be given several times. */
  many?: true
  short?: string
  /** Refuses a wrong value by throwing; the value is handed on as it was written. */
  check?(text: string): unknown
}
export type Flags = Record<string, Flag>

export type Given<F extends Flags> = {
  [K in keyof F]: F[K] extends { value: string }
    ? F[K] extends { many: true }
      ? string[] | undefined
      : string | undefined
    : boolean
}
