import { jobs as jenkins } from './jenkins/jobs.ts'
import { jobs as perforce } from './perforce/jobs.ts'

/** Jobs that ask the servers of tools, by their kind. Apart from the declarations, which read and never write. */
export const serverJobs = { ...jenkins, ...perforce }
