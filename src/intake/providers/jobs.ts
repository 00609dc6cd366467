import { jobs as jenkins } from './jenkins/jobs.ts'
import { jobs as perforce } from './perforce/jobs.ts'

/** Jobs that call the servers of tools, by kind. Separate from the providers' declarations, which only read. */
export const serverJobs = { ...jenkins, ...perforce }
