import { writeFileSync } from 'node:fs'
import { labeledLogs } from '../bench/diagnosis/labeled-logs.ts'
import { learn, lessonsOf } from '../bench/diagnosis/learn.ts'

/** Trains the model of `diagnosis/model` from a folder of labeled logs: npm run train-diagnosis -- FOLDER */
const root = process.argv[2]
if (root === undefined) {
  console.error('Usage: npm run train-diagnosis -- FOLDER')
  process.exit(2)
}
const learned = learn(lessonsOf(labeledLogs(root)))
writeFileSync('src/diagnosis/model/weights.json', `${JSON.stringify(learned, null, 2)}\n`)
console.log(`${learned.classes.length} categories`)
