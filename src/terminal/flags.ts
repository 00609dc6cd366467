/** One option of a command. Without `value` it is a switch. */
export interface Flag {
  help: string
  /** The placeholder of the value in the help. */
  value?: string
  /** The closed set of the value. */
  values?: readonly string[]
  /** May be repeated. */
  many?: true
  required?: true
  short?: string
  /** Parses the value; throws for an invalid one, before the command runs. */
  read?(text: string): unknown
}
export type Flags = Record<string, Flag>

/** A positional argument, in this order. */
export interface Argument {
  help: string
  optional?: true
  many?: true
  values?: readonly string[]
  read?(text: string): unknown
}
export type Arguments = Record<string, Argument>

type ValueOf<O> = O extends { read(text: string): infer V } ? V : O extends { values: readonly (infer V)[] } ? V : string

export type GivenFlags<F extends Flags> = {
  [K in keyof F]: F[K] extends { value: string }
    ? (F[K] extends { many: true } ? ValueOf<F[K]>[] : ValueOf<F[K]>) | (F[K] extends { required: true } ? never : undefined)
    : boolean
}

export type GivenArguments<A extends Arguments> = {
  [K in keyof A]: A[K] extends { many: true }
    ? ValueOf<A[K]>[]
    : ValueOf<A[K]> | (A[K] extends { optional: true } ? undefined : never)
}
