import { pollJenkins } from './poll.ts'
import { followJenkins, startJenkins } from './start.ts'

export const jobs = { poll_jenkins: pollJenkins, start_jenkins: startJenkins, follow_jenkins: followJenkins }
