import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, title, job }) => ({
  body: {
    PLASTIC_USER: 'goldmaster',
    PLASTIC_COMMENT: title,
    PLASTIC_CHANGESET: `cs:${mark}@br:/main/${job.replaceAll('@', '')}@rep:goldmaster@repserver:test`,
    INPUT: ['CH "/goldmaster-test.txt" FILE'],
  },
})
