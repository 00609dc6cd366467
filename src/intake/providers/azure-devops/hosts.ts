/** Azure DevOps Services has releases and people on hosts of their own; Azure DevOps Server has everything on one. */
export const hostOf = (server: string, service: 'vsrm' | 'vssps'): string =>
  server
    .replace(/^https:\/\/dev\.azure\.com\//i, `https://${service}.dev.azure.com/`)
    .replace(/^(https:\/\/[\w-]+)\.(?=visualstudio\.com\/)/i, `$1.${service}.`)
