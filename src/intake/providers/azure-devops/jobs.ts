import { readAzureLog } from './console.ts'

export const jobs = { read_azure_log: readAzureLog }
