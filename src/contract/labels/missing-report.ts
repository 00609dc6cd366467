/** The test that stands for reports that a build should have written: the client sends it, the service recognizes it. */
export const MISSING_REPORT = { name: 'Test report', message: 'No test report was written' }
