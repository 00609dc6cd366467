import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, job }) => ({
  body: {
    eventType: 'BUILD_FINISHED',
    payload: {
      id: mark,
      buildTypeId: job,
      number: String(mark),
      status: 'SUCCESS',
      state: 'finished',
      buildType: { id: job, name: job, projectName: 'Goldmaster' },
    },
  },
})
