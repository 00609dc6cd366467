import { ApiError } from '../../contract/errors.ts'

/** An error as a value: some have priority over others, and the first one found is not always the one to return. */
export function captureRefusal<T>(work: () => T): [result: T, refused: undefined] | [result: never, refused: ApiError] {
  try {
    return [work(), undefined]
  } catch (error) {
    if (error instanceof ApiError) return [undefined as never, error]
    throw error
  }
}
