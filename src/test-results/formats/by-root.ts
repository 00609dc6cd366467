import type { TestReport } from '../test-case.ts'
import type { XmlReader } from '../xml-element.ts'
import { boostLog, boostResult } from './boost.ts'
import { ctest } from './ctest.ts'
import { junit } from './junit.ts'
import { nunit } from './nunit.ts'
import { trx } from './trx.ts'
import { xunit } from './xunit.ts'

/** File names say nothing: every tool calls its report something else. */
export const readersByRoot: Record<string, { format: string; read(report: TestReport): XmlReader } | undefined> = {
  testsuites: { format: 'JUnit', read: junit },
  testsuite: { format: 'JUnit', read: junit },
  'test-run': { format: 'NUnit 3', read: nunit },
  'test-results': { format: 'NUnit 2', read: nunit },
  'test-suite': { format: 'NUnit 2', read: nunit },
  TestRun: { format: 'TRX', read: trx },
  assemblies: { format: 'xUnit', read: xunit },
  assembly: { format: 'xUnit', read: xunit },
  Site: { format: 'CTest', read: ctest },
  TestLog: { format: 'Boost.Test', read: boostLog },
  TestResult: { format: 'Boost.Test', read: boostResult },
}
