/** One spelling of a branch, as `branch_key` of the database has it: depots are compared without case, names of git with it. */
export const branchKey = (branch: string): string =>
  branch.startsWith('//')
    ? branch
        .replace(/\/(?:\.\.\.|\*)$/, '')
        .replace(/\/+$/, '')
        .toLowerCase()
    : branch.replace(/^(?:refs\/heads\/|refs\/remotes\/origin\/|origin\/)/, '')
