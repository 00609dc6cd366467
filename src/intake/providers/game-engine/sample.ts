import type { Sample } from '../../provider.ts'

export const sample: Sample = ({ mark, now, title, job }) => ({
  path: 'game_engine/build_completed',
  body: {
    job_name: job,
    build_number: mark,
    engine: 'unreal',
    platform: 'Win64',
    duration_seconds: 1,
    message: title,
    timestamp: now,
  },
})
