import { useQuery } from '@tanstack/react-query'
import { ask } from '../../api.ts'

/** Whether this service sends emails; undefined until that is known. */
export const useMailing = (): boolean | undefined =>
  useQuery({ queryKey: ['welcome', {}], queryFn: () => ask('welcome', {}) }).data?.mailing
