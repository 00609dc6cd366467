/** Line drawings of 16 by 16, one path each. */
export const PATHS = {
  feed: 'M2 4h12M2 8h12M2 12h8',
  overview: 'M2 13V9m4 4V5m4 8V7m4 6V3',
  task: 'M3 8.5 6.5 12 13 4.5',
  change: 'M8 2v4m0 4v4M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Z',
  branch:
    'M5 10V4m0 6a1.8 1.8 0 1 0 0 3.6A1.8 1.8 0 0 0 5 10Zm0-6a1.8 1.8 0 1 0 0-1.6M11 6.5a1.8 1.8 0 1 0 0-3.6 1.8 1.8 0 0 0 0 3.6Zm0 0C11 9 8 9 5.5 10.2',
  build: 'm9.5 6.5-6 6m7-10a3 3 0 0 0-3.5 4L2.5 11 5 13.5l4.5-4.5a3 3 0 0 0 4-3.5L11.5 7 9 4.5l1.5-2Z',
  breakage: 'M8 2.5 14 13H2L8 2.5Zm0 4v3m0 1.6v.4',
  asset: 'M2.5 3.5h11v9h-11zM2.5 10l3-3 3 3 2-2 3 3',
  approval: 'M8 14s5.5-2 5.5-7V3.5L8 2 2.5 3.5V7c0 5 5.5 7 5.5 7Zm-2.2-6.2L7.4 9.4l3-3',
  deployment: 'M8 10V2m0 0L5 5m3-3 3 3M2.5 10v3.5h11V10',
  members:
    'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5Zm-4.5 5.5c0-2.5 2-4 4.5-4s4.5 1.5 4.5 4M11 8a2 2 0 1 0-1-3.7M12 9.8c1.6.4 2.5 1.7 2.5 3.7',
  settings:
    'M8 10a2 2 0 1 0 0-4 2 2 0 0 0 0 4Zm0-8v2m0 8v2M2 8h2m8 0h2M3.8 3.8l1.4 1.4m5.6 5.6 1.4 1.4m0-8.4-1.4 1.4m-5.6 5.6-1.4 1.4',
  tool: 'M6 2v3m4-3v3M4 5h8v3a4 4 0 0 1-8 0V5Zm4 7v2',
  search: 'M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.5-1.5L14 14',
  menu: 'M2 4h12M2 8h12M2 12h12',
  close: 'm4 4 8 8m0-8-8 8',
  down: 'm4 6 4 4 4-4',
  right: 'm6 4 4 4-4 4',
  plus: 'M8 3v10M3 8h10',
  key: 'M10.5 9a3 3 0 1 0-3-3c0 .4 0 .7.2 1L2.5 12v1.5H5V12h1.5v-1.5L8 9.5',
  mail: 'M2 4h12v8.5H2zM2 4.5l6 4.5 6-4.5',
  copy: 'M5.5 5.5h8v8h-8zM3.5 10.5h-1v-8h8v1',
  person: 'M8 8a3 3 0 1 0 0-6 3 3 0 0 0 0 6Zm-5.5 6c0-3 2.5-4.5 5.5-4.5s5.5 1.5 5.5 4.5',
} as const
export type IconName = keyof typeof PATHS
