import { ApiError } from '../../contract/errors.ts'

/** A refusal as a value: some outrank others, and the first to be found is not always the first to be told. */
export function captureRefusal<T>(work: () => T): [result: T, refused: undefined] | [result: never, refused: ApiError] {
  try {
    return [work(), undefined]
  } catch (error) {
    if (error instanceof ApiError) return [undefined as never, error]
    throw error
  }
}
