import type { Features } from './features.ts'

/** A linear model over buckets in its stored form: a byte for each bucket and class. */
export interface StoredModel {
  classes: readonly string[]
  /** The factor of a stored weight of 1, so that 127 is the largest. */
  scale: number
  bias: readonly number[]
  /** Base64, bucket by bucket. */
  weights: string
}

interface Model<Class extends string> {
  classes: readonly Class[]
  /** The probability of each class, in order. */
  likelihoods(features: Features): number[]
}

export function softmax(scores: readonly number[]): number[] {
  const most = Math.max(...scores)
  const powers = scores.map((score) => Math.exp(score - most))
  const sum = powers.reduce((a, b) => a + b, 0)
  return powers.map((power) => power / sum)
}

export function modelFrom<Class extends string>(stored: StoredModel): Model<Class> {
  const weights = Int8Array.from(atob(stored.weights), (char) => char.charCodeAt(0))
  const { length } = stored.classes
  return {
    classes: stored.classes as readonly Class[],
    likelihoods(features) {
      const scores = [...stored.bias]
      for (const [bucket, amount] of features)
        for (let i = 0; i < length; i++) scores[i]! += weights[bucket * length + i]! * stored.scale * amount
      return softmax(scores)
    },
  }
}
