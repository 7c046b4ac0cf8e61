import { useMutation } from '@tanstack/react-query'
import type { Pool } from '#contract/wire'
import { call } from '../../state/api.ts'
import { useTranslation } from '../../state/i18n.ts'
import { queryClient } from '../../state/reads/queries.ts'
import { toast } from '../../state/toast.ts'
import { downloadText } from '../../ui/download-text.ts'
import { toastFailure } from '../toast-failure.ts'

interface ActOnMany {
  act: 'freeze' | 'free' | 'delete'
  numbers: readonly number[]
}

/** Acts on many proxy users of a pool in one call each. */
export function useMany(pool: Pool) {
  const { t } = useTranslation('proxyUsers')
  const onError = (error: unknown) => toastFailure(error, t('failed'))
  const acts = useMutation({
    mutationFn: ({ act, numbers }: ActOnMany) => {
      const chosen = { pool, users: numbers.map((number) => ({ number })) }
      return act === 'delete'
        ? call('delete_proxy_users', chosen)
        : call('freeze_proxy_users', { ...chosen, frozen: act === 'freeze' })
    },
    onSuccess({ done }) {
      void queryClient.invalidateQueries({ queryKey: ['get_proxy_users'] })
      void queryClient.invalidateQueries({ queryKey: ['legacy_profile'] })
      toast.success(t('bulk.done', { number: String(done) }))
    },
    onError,
  })
  const lines = useMutation({
    mutationFn: (numbers: readonly number[]) =>
      call('proxy_users_lines', {
        pool,
        users: numbers.map((number) => ({ number })),
        type: 'rotating',
        anonymous: 'true',
        protocol: 'http',
        format: 'login:password@hostname:port',
        quantity: 1,
        sessionttl: 0,
      }),
    onSuccess: (text) => downloadText(`proxy-users-${pool}.txt`, text, 'text/plain'),
    onError,
  })
  return { ...acts, copyLines: lines.mutate, isCopying: lines.isPending }
}
