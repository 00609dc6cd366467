/**
 * A boundary between texts of different tools: a line that reports the end of a step, the build service, the next command. No error extends
 * across it.
 */
export const EDGE =
  /^(?:npm ERR! |npm error |error Command failed|info Visit https:|make(?:\[\d+\])?: |\S*[Mm]akefile\S{0,60}:\d+: recipe for|The command "|.*" exited with \d+\.|travis_(?:time|fold):|Done\. Your build|Process completed with exit|Exited with|ERROR: Job failed|Cleaning up|\$ \S|##\[(?:group|section)\]|rake aborted!| ?ELIFECYCLE)/
