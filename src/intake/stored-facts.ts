import type { Fact } from './facts.ts'

/** The facts of a stored delivery that are applied after its response, and whether its sender had signed it. */
interface StoredFacts {
  facts: Fact[]
  signed: boolean
}

export const writeFacts = ({ facts, signed }: StoredFacts): string => JSON.stringify({ facts, signed })

export const readFacts = (text: string): StoredFacts => JSON.parse(text)
