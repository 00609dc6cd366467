/** A log line starts with its location; the folders of a build machine are its least useful part. */
export const withoutFolders = (text: string) => text.replace(/(?:[A-Za-z]:)?[\\/](?:[^\\/\s:()'"]+[\\/])+/g, '')
