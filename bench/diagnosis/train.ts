import { BUCKETS, type Features } from '../../src/diagnosis/model/features.ts'
import { type StoredModel, softmax } from '../../src/diagnosis/model/linear.ts'

/** A training example: one finding and its correct category. */
export interface Example {
  project: string
  features: Features
  category: string
}

const EPOCHS = 8
const RATE = 0.1
/** Pulls every weight towards zero: evidence of a single log is not trusted. */
const DECAY = 1e-3

/** A project with many logs counts more than one with a single log, but not proportionally. */
const loudness = (examples: readonly Example[]) => {
  const logs = new Map<string, number>()
  for (const { project } of examples) logs.set(project, (logs.get(project) ?? 0) + 1)
  return examples.map(({ project }) => 1 / Math.sqrt(logs.get(project)!))
}

/** A fixed order in which no project comes in a row. */
const order = (length: number, epoch: number) => {
  const indexes = Array.from({ length }, (_, i) => i)
  let state = 12345 + epoch
  for (let i = length - 1; i > 0; i--) {
    state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
    const j = state % (i + 1)
    ;[indexes[i], indexes[j]] = [indexes[j]!, indexes[i]!]
  }
  return indexes
}

/** Multinomial logistic regression, with gradient steps that shrink for frequently moved buckets (AdaGrad). */
export function train(examples: readonly Example[], classes: readonly string[]): StoredModel {
  const width = classes.length
  const weights = new Float32Array(BUCKETS * width)
  const moved = new Float32Array(BUCKETS * width).fill(1e-6)
  const bias = new Float32Array(width)
  const buckets = examples.map(({ features }) => Int32Array.from(features.keys()))
  const amounts = examples.map(({ features }) => Float32Array.from(features.values()))
  const wanted = examples.map(({ category }) => classes.indexOf(category))
  const loud = loudness(examples)
  const scores = new Float64Array(width)
  for (let epoch = 0; epoch < EPOCHS; epoch++)
    for (const index of order(examples.length, epoch)) {
      const [held, amount] = [buckets[index]!, amounts[index]!]
      scores.set(bias)
      for (let f = 0; f < held.length; f++)
        for (let i = 0, at = held[f]! * width; i < width; i++, at++) scores[i]! += weights[at]! * amount[f]!
      const gradient = softmax(Array.from(scores))
      gradient[wanted[index]!]! -= 1
      for (let i = 0; i < width; i++) bias[i]! -= 0.02 * RATE * loud[index]! * gradient[i]!
      for (let f = 0; f < held.length; f++)
        for (let i = 0, at = held[f]! * width; i < width; i++, at++) {
          const step = loud[index]! * gradient[i]! * amount[f]! + DECAY * weights[at]!
          moved[at]! += step * step
          weights[at]! -= (RATE * step) / Math.sqrt(moved[at]!)
        }
    }
  return stored(weights, bias, classes)
}

function stored(weights: Float32Array, bias: Float32Array, classes: readonly string[]): StoredModel {
  const largest = weights.reduce((most, weight) => Math.max(most, Math.abs(weight)), 1e-6)
  const bytes = Int8Array.from(weights, (weight) => Math.round((127 * weight) / largest))
  return {
    classes,
    scale: largest / 127,
    bias: Array.from(bias, (each) => Math.round(1000 * each) / 1000),
    weights: Buffer.from(bytes.buffer).toString('base64'),
  }
}
